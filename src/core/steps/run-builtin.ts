import type { LogLevel } from '../events.ts'
import { partsAt } from '../expressions/known.ts'
import { templateSource } from '../expressions/template-source.ts'
import { isJsonObject, type JsonObject } from '../json.ts'
import type { UsesPlan } from '../plan/plan.ts'
import { RunbookError } from '../run-error.ts'
import { readTime, writeTime } from '../times/calendar.ts'
import { parseDuration } from '../times/duration.ts'
import { approve } from './approve.ts'
import { ask } from './ask.ts'
import { runDocument } from './document.ts'
import { type Frame, sleepAtWork } from './frame.ts'
import { listen } from './listen.ts'
import { reachedBefore } from './reached-before.ts'
import { cancelledResult, outputsOf, type StepResult } from './step-result.ts'

/** A step whose action the interpreter runs. */
export interface CoreCall {
  readonly path: string
  readonly uses: UsesPlan
  readonly input: JsonObject
  readonly frame: Frame
}

export type BuiltinStep = (call: CoreCall) => Promise<StepResult>

/** What an action that has nothing to say comes to. It has called nothing. */
const done: StepResult = { status: 'succeeded', attempts: 0, outputs: {} }

/** Fails when one of its conditions does not hold. */
const assert: BuiltinStep = async ({ path, uses, input }) => {
  const conditions = [input['that'] ?? null].flat()
  const broken = conditions.findIndex((condition) => condition !== true)
  if (broken < 0) return done
  const { message } = input
  const [list] = partsAt(uses.with, ['that'])
  const [written] = list?.kind === 'list' ? list.items.slice(broken) : [list]
  const condition = written === undefined ? `condition ${broken + 1}` : templateSource(written)
  const text = typeof message === 'string' ? message : `does not hold: ${condition}`
  return { status: 'failed', attempts: 0, error: { code: 'AssertionFailed', message: text, path } }
}

/** Fails with a code of the author. */
const fail: BuiltinStep = async ({ path, input }) => ({
  status: 'failed',
  attempts: 0,
  error: { code: String(input['code']), message: String(input['message']), path },
})

/** Writes a line to the log of the run. */
const log: BuiltinStep = async ({ path, input, frame }) => {
  const { message, level = 'info', data } = input
  frame.host.report({
    type: 'logged',
    path,
    level: level as LogLevel,
    message: String(message),
    ...(data === undefined ? {} : { data }),
  })
  return done
}

/** Answers with what it was given. */
const set: BuiltinStep = async ({ input }) => ({ status: 'succeeded', attempts: 0, outputs: input })

/** Answers with the time at which the run first reached the step, to the millisecond that is recorded. */
const time: BuiltinStep = async ({ path, frame }) => {
  const at = writeTime(await frame.host.firstReachedAt(path)) ?? ''
  return { status: 'succeeded', attempts: 0, outputs: { at } }
}

/** Waits for a time, counted from when the run first reached the step, or until a point in time. */
const wait: BuiltinStep = async ({ path, input, frame }) => {
  const { host, cancellation } = frame
  const reachedMs = await reachedBefore(path, frame)
  const until = readEnd(input, reachedMs)
  if (until > host.now()) host.report({ type: 'waiting', path, reason: 'wait', until })
  await sleepAtWork(until, { path, reason: 'wait' }, frame, reachedMs)
  return cancellation.reason ? cancelledResult(frame, path) : done
}

/** The arguments are checked before: one of the two is there, and can be read. */
function readEnd({ for: length, until }: JsonObject, reachedMs: number): number {
  const durationMs = typeof length === 'string' ? parseDuration(length) : undefined
  return durationMs === undefined ? (readTime(String(until)) ?? reachedMs) : reachedMs + durationMs
}

/** Runs another runbook as a step: it sees its inputs and nothing else of this one. */
const runChild: BuiltinStep = async ({ path, uses, input, frame }) => {
  const child = frame.children[uses.runbook ?? '']
  if (!child)
    throw new RunbookError('InternalDefect', 'the plan does not hold the runbook of the step', { path })
  const given = input['inputs'] ?? {}
  const { inputs, problems } = await frame.host.checkInputs(child, isJsonObject(given) ? given : {}, path)
  if (problems.length > 0) {
    const list = problems.map((problem) => problem.message).join('; ')
    throw new RunbookError('InvalidInput', `the inputs do not fit ${child.name}: ${list}`, {
      path,
      notSent: true,
    })
  }
  const run = frame.scope['run']
  // How a run ends is known in the finally of the runbook that it began with.
  const { id = '', started_at = '', callbacks = {}, url } = isJsonObject(run) ? run : {}
  const facts = { id, name: child.name, started_at, callbacks, ...(url === undefined ? {} : { url }) }
  const scope = { inputs, run: facts }
  const result = await runDocument(child, { ...frame, path, scope })
  const { status, attempts, error } = result
  return { status, attempts, outputs: outputsOf(result) ?? {}, ...(error ? { error } : {}) }
}

/** The actions that the interpreter runs, by their names. */
export const builtinSteps: Readonly<Record<string, BuiltinStep>> = {
  'core/wait': wait,
  'core/approve': approve,
  'core/ask': ask,
  'core/listen': listen,
  'core/set': set,
  'core/assert': assert,
  'core/fail': fail,
  'core/run': runChild,
  'core/log': log,
  'core/time': time,
}
