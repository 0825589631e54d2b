import { callbackNames } from '../../src/core/hooks/listened-hooks.ts'
import type { JsonObject } from '../../src/core/json.ts'
import type { Plan } from '../../src/core/plan/plan.ts'
import { argumentProblems } from '../../src/core/preview/preview-plan.ts'
import { callbackAddresses, pageOfRun, systemIdentity } from '../../src/engine/record/index.ts'
import { checkInputs, loadRunbook } from '../../src/load/index.ts'
import {
  type PlayedRun,
  type PlayOptions,
  playRun,
  type ScriptedWorld,
  usualStartMs,
} from '../../src/testing/index.ts'
import { callbacks, consoleUrl, hookOf } from '../conformance/callbacks.ts'
import { type RunCase, wholeRunbook } from '../conformance/run-case.ts'
import { answerTo, milliseconds } from '../conformance/script.ts'
import { answersTo } from '../conformance/scripted-people.ts'
import { testActions } from '../conformance/test-actions.ts'

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
  const problems = argumentProblems({ plan, inputs, actions: testActions, checkInputs }).map(
    ({ path }) => path,
  )
  return { plan, inputs, findings, problems }
}

/** Where a run of a case resumes, and what is answered instead of what the case says. */
export interface PlayCaseOptions extends Pick<PlayOptions, 'journal' | 'clock' | 'stop'> {
  readonly answer?: ScriptedWorld['answer']
}

const runId = 'run_1'

/** Runs a case to its end, or to where it is stopped. */
export function playCase(
  runCase: RunCase,
  plan: Plan,
  inputs: JsonObject,
  { answer, ...options }: PlayCaseOptions = {},
): Promise<PlayedRun> {
  const cancel = [runCase.cancel, runCase['cancel-again']].flatMap((moment): (number | string)[] => {
    if (moment === undefined) return []
    return moment.includes('#') ? [moment] : [milliseconds(moment)]
  })
  const world = { ...worldOf(runCase), ...(answer ? { answer } : {}) }
  const facts = {
    id: runId,
    callbacks: callbackAddresses(runId, callbackNames(plan), callbacks),
    ...pageOfRun(runId, consoleUrl),
  }
  return playRun(plan, inputs, world, { ...options, cancel, facts })
}

function worldOf(runCase: RunCase): ScriptedWorld {
  return {
    actions: testActions,
    answer: (request) => answerTo(runCase, request),
    events: (runCase.events ?? []).map(({ after, id, body, ...event }) => ({
      hook: hookOf({ after, id, ...event }, runId),
      id,
      receivedAtMs: usualStartMs + milliseconds(after),
      ...(body === undefined ? {} : { body }),
    })),
    people: (path) => answersTo(runCase, path),
    startedBy: systemIdentity(),
  }
}
