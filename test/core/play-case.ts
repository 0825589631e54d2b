import { interpret } from '../../src/core/interpret.ts'
import type { JsonObject } from '../../src/core/json.ts'
import { callbackNames } from '../../src/core/listened-hooks.ts'
import type { Plan } from '../../src/core/plan.ts'
import { argumentProblems } from '../../src/core/preview/preview-plan.ts'
import { callbackAddresses, systemIdentity } from '../../src/engine/record/index.ts'
import { checkInputs, loadRunbook } from '../../src/load/index.ts'
import { callbacks, hookOf } from '../conformance/callbacks.ts'
import { type ObservedRun, observe } from '../conformance/observe.ts'
import { type RunCase, wholeRunbook } from '../conformance/run-case.ts'
import { answerTo, milliseconds } from '../conformance/script.ts'
import { answersTo } from '../conformance/scripted-people.ts'
import { testActions } from '../conformance/test-actions.ts'
import { createDataHost, type DataHost, type DataWorld } from './data-host.ts'
import { createDataJournal, type DataJournal } from './data-journal.ts'
import { createVirtualClock, type VirtualClock } from './virtual-clock.ts'

/** When every run of a case begins. */
export const startMs: number = Date.UTC(2026, 0, 1)

/** A case as far as it comes before its first call. */
export interface LoadedCase {
  readonly plan?: Plan
  readonly inputs: JsonObject
  /** Codes of what the loader found. */
  readonly findings: readonly string[]
  /** Places of arguments that are known to be wrong. */
  readonly problems: readonly string[]
}

export function loadCase({ runbook, files = {}, inputs: given = {} }: RunCase): LoadedCase {
  const { plan, diagnostics } = loadRunbook(wholeRunbook(runbook), testActions, {
    readRunbook: (path) => {
      const text = files[path]
      return text === undefined ? undefined : wholeRunbook(text, path.replace(/\W+/g, '_'))
    },
  })
  const findings = diagnostics.map(({ code }) => code)
  if (!plan) return { inputs: given, findings, problems: [] }
  const { inputs, problems: wrongInputs } = checkInputs(plan, given)
  if (wrongInputs.length > 0)
    throw new Error(`the inputs of the case are wrong: ${JSON.stringify(wrongInputs)}`)
  const problems = argumentProblems({ plan, inputs, actions: testActions }).map(({ path }) => path)
  return { plan, inputs, findings, problems }
}

/** A run of a case in a world made of data. */
export interface PlayedCase {
  readonly seen: ObservedRun
  readonly host: DataHost
  readonly journal: DataJournal
  readonly tookMs: number
  /** How often nothing was left to do but to let time pass. */
  readonly jumps: number
}

/** Where a run resumes. */
export interface PlayOptions {
  readonly journal?: DataJournal
  readonly clock?: VirtualClock
  /** What is answered instead of what the case says. */
  readonly answer?: DataWorld['answer']
  /** Stops the run as soon as the journal holds this many outcomes, or before time passes this many times. */
  readonly stop?: { readonly outcomes: number } | { readonly jumps: number }
}

const runId = 'run_1'

/** Runs a case to its end, or to where it is stopped. */
export async function playCase(
  runCase: RunCase,
  plan: Plan,
  inputs: JsonObject,
  options: PlayOptions = {},
): Promise<PlayedCase> {
  const { journal = createDataJournal(), clock = createVirtualClock(startMs), stop } = options
  const host = createDataHost(
    { ...worldOf(runCase, () => host), ...(options.answer ? { answer: options.answer } : {}) },
    clock,
    journal,
    (count) => {
      if (stop && 'outcomes' in stop && count === stop.outcomes) host.interrupt()
    },
  )
  for (const controlRequest of [runCase.cancel, runCase['cancel-again']]) {
    if (controlRequest !== undefined && !controlRequest.includes('#'))
      void cancelAt(host, clock, milliseconds(controlRequest))
  }
  const addresses = callbackAddresses(runId, callbackNames(plan), callbacks)
  const facts = { id: runId, started_at: new Date(startMs).toISOString(), callbacks: addresses }
  let jumps = 0
  await clock.run(interpret(plan, inputs, facts, host), () => {
    if (stop && 'jumps' in stop && jumps === stop.jumps) host.interrupt()
    else jumps++
  })
  return { seen: observe(host.events, startMs), host, journal, tookMs: clock.now() - startMs, jumps }
}

async function cancelAt(host: DataHost, clock: VirtualClock, afterMs: number): Promise<void> {
  await clock.sleepUntil(startMs + afterMs).ended
  host.cancel()
}

function worldOf(runCase: RunCase, host: () => DataHost): DataWorld {
  const controlRequests = [runCase.cancel, runCase['cancel-again']]
  return {
    actions: testActions,
    answer: (request) => answerTo(runCase, request),
    events: (runCase.events ?? []).map(({ after, id, body, ...event }) => ({
      hook: hookOf({ after, id, ...event }, runId),
      id,
      receivedAtMs: startMs + milliseconds(after),
      ...(body === undefined ? {} : { body }),
    })),
    people: (path) => answersTo(runCase, path),
    startedBy: systemIdentity(),
    onSent: ({ path, attempt }) => {
      if (controlRequests.includes(`${path}#${attempt}`)) host().cancel()
    },
  }
}
