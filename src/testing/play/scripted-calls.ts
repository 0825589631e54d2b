import type { CallRequest } from '../../core/host/index.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts'
import { stepAddressOfCall } from '../../core/plan/index.ts'
import { createPlanIndex, type PlanIndex } from '../../core/record/index.ts'
import { type ErrorData, RunbookError } from '../../core/run-error.ts'
import { parseDuration } from '../../core/times/index.ts'
import { scriptNames } from '../file/call-paths.ts'
import type { LoadedTests } from '../file/load-test-file.ts'
import type { CallScript, ErrorScript, Setting } from '../file/test-file.ts'
import type { WorldAnswer } from '../host/scripted-world.ts'
import { answerOfRecording, type FoundCall, findRecorded, inputAsShown } from '../recording/find-recorded.ts'
import { shown } from './match.ts'

/** The calls of a script. */
export interface ScriptedCalls {
  /** The result of an attempt. Throws `UnscriptedCall`, which ends the run, where the script has none. */
  answer(request: CallRequest): WorldAnswer
  /** The script of an attempt that something else answers. Undefined: it has none. */
  compared(request: CallRequest): ComparedScript | undefined
  /** The names of the entries that were used. */
  readonly used: ReadonlySet<string>
  /** The recorded calls that were used, as {@link usedEntry} writes them. */
  readonly usedRecorded: ReadonlySet<string>
  /** The first call without a script. */
  unscripted(): UnscriptedCall | undefined
}

/** What a script says of an attempt. */
export interface ComparedScript {
  /** The name of its entry. */
  readonly name: string
  /** Left out: its recording does not hold the call. */
  readonly answer?: WorldAnswer
}

/** A call that no script and no recording has a result for. */
export interface UnscriptedCall {
  /** In one line. */
  readonly message: string
  /** What to write, or what is like it. */
  readonly hints: readonly string[]
}

/** A call of a recording, for the list of those that are used. */
export function usedEntry(recording: string, path: string): string {
  return `${recording} ${path}`
}

export function createScriptedCalls(
  calls: NonNullable<Setting['calls']>,
  { plan, recordings }: Pick<LoadedTests, 'plan' | 'recordings'>,
): ScriptedCalls {
  const used = new Set<string>()
  /** How many attempts each call has had, polls of one call together. */
  const made = new Map<string, number>()
  const usedRecorded = new Set<string>()
  let index: PlanIndex | undefined
  let unscripted: UnscriptedCall | undefined
  const fail = (request: CallRequest, why: UnscriptedCall): never => {
    unscripted ??= why
    const { path, attempt, action } = request
    throw new RunbookError('UnscriptedCall', `no script for ${path}#${attempt} (${action})`, {
      path,
      endsRun: true,
    })
  }
  const findIn = (name: string, request: CallRequest): FoundCall => {
    const recording = recordings.get(name)
    if (!recording) throw new Error(`no recording ${name}`)
    index ??= createPlanIndex(plan)
    const found = findRecorded(recording, request, inputAsShown(index, request))
    if (found.kind === 'held') usedRecorded.add(usedEntry(name, found.call.path))
    return found
  }
  const recordedResult = (name: string, request: CallRequest): WorldAnswer => {
    const found = findIn(name, request)
    if (found.kind === 'not-held') {
      const message = `UnrecordedCall: ${sentText(request)}, which the recording "${name}" does not hold`
      return fail(request, { message, hints: found.nearest })
    }
    return answerOfRecording(found.call)
  }
  /** The entry of an attempt, which counts as used, and what it says. */
  const choose = (request: CallRequest): readonly [string | undefined, CallScript | undefined] => {
    const name = scriptNames(request).find((one) => Object.hasOwn(calls, one))
    const script = name === undefined ? undefined : calls[name]
    if (name !== undefined) used.add(name)
    const own = `${name} ${request.path.replace(/\/poll-\d+/, '')}`
    const count = (made.get(own) ?? 0) + 1
    made.set(own, count)
    const list = Array.isArray(script) ? script : [script]
    return [name, list[Math.min(count, list.length) - 1] as CallScript | undefined]
  }
  return {
    used,
    usedRecorded,
    unscripted: () => unscripted,
    answer(request) {
      const [, chosen] = choose(request)
      const result = chosen ?? writtenHere(request)
      if (result?.recording !== undefined) return recordedResult(result.recording, request)
      if (result) return toAnswer(result, request)
      return fail(request, { message: `UnscriptedCall: ${sentText(request)}`, hints: waysToScript(request) })
    },
    compared(request) {
      const [name, script] = choose(request)
      if (name === undefined || !script) return undefined
      if (script.recording === undefined) return { name, answer: toAnswer(script, request) }
      const found = findIn(script.recording, request)
      return { name, ...(found.kind === 'held' ? { answer: answerOfRecording(found.call) } : {}) }
    },
  }
}

/** `core/write` sends nothing: its file is written without a script. */
function writtenHere({ action }: CallRequest): CallScript | undefined {
  return action === 'core/write' ? { output: {} } : undefined
}

/** What a script may leave out of an answer. */
const usual: Readonly<Record<string, JsonObject>> = {
  'core/http': { status: 200, headers: {}, body: null },
  'core/command': { code: 0, stdout: '', stderr: '' },
}

function toAnswer({ output = {}, error, takes, file }: CallScript, { action }: CallRequest): WorldAnswer {
  const takesMs = parseDuration(takes ?? '0s') ?? 0
  const more = { takesMs, waitsMs: 0, ...(file === undefined ? {} : { file }) }
  if (error !== undefined) return { result: { status: 'failed', error: toError(error) }, ...more }
  return { result: { status: 'succeeded', output: completed(action, output) }, ...more }
}

function completed(action: string, output: JsonValue): JsonValue {
  return isJsonObject(output) && usual[action] ? { ...usual[action], ...output } : output
}

function toError(error: string | ErrorScript): ErrorData {
  const {
    code,
    message,
    status,
    'retry-after': retryAfter,
  } = typeof error === 'string' ? ({ code: error } as ErrorScript) : error
  return {
    code,
    message: message ?? `the script answers with ${code}`,
    ...(status === undefined ? {} : { details: { status } }),
    ...(retryAfter === undefined ? {} : { retryAfterMs: parseDuration(retryAfter) ?? 0 }),
  }
}

function sentText({ path, attempt, action, input }: CallRequest): string {
  return `${path}#${attempt} (${action}) was sent ${shown(input)}`
}

/** The three ways to script a call, as YAML. */
function waysToScript({ path, action }: CallRequest): readonly string[] {
  const address = stepAddressOfCall(path)
  return [
    `calls: { ${address}: { output: { … } } }`,
    `calls: { ${action}: { output: { … } } }`,
    `calls: { ${address}: { error: InternalError } }`,
  ]
}
