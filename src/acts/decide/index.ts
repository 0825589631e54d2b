/** Decisions on calls with an unknown outcome. */
import { type ActionDescription, safetyOf } from '../../core/action.ts'
import { type JsonObject, withoutUndefined } from '../../core/json.ts'
import type { RunRecord } from '../../core/record/index.ts'
import { RunbookError, refused } from '../../core/run-error.ts'
import { type Decided, maskDocument, type Outcomes, publicJson } from '../../documents/index.ts'
import { callWord } from '../../engine/record/index.ts'
import { CommandError, type OpenProject } from '../../project/index.ts'
import { findRun, maskOf, readUnknownCalls, type UnknownCall } from '../../project/records/index.ts'
import { Outdated } from '../outdated.ts'
import type { Who } from '../read-who.ts'
import { findOutputsProblem, type OutputsProblem } from './find-outputs-problem.ts'

export { corrected, type OutputsProblem } from './find-outputs-problem.ts'

/** A decision on a call. */
export interface DecideAct extends Who {
  /** The path of the call, or the id of its step if that is unique. */
  readonly step: string
  readonly decision: Decided['decision']
  /** The word of the call that was shown. Left out: the call is decided as it is now. */
  readonly shown?: string
  /** Only with `succeeded`: reads the answer of the call, by its action where that is known here. */
  readonly outputs?: (action: ActionDescription | undefined) => JsonObject | undefined
  /** Replaces an earlier decision that the run has not used. */
  readonly replaces?: true
}

/** The answer that was given for a call does not fit its action, or lacks what later steps read. */
export class OutputsRefused extends CommandError {
  readonly problem: OutputsProblem

  constructor(problem: OutputsProblem) {
    super('usage', `what was given for ${problem.path} is not what ${problem.called} answers`)
    this.problem = problem
  }
}

/**
 * Resolves a call with an unknown outcome. Throws `OutputsRefused` for an answer that does not fit, and `Outdated` where
 * the call is not as it was shown.
 */
export async function resolveOutcome(
  run: RunRecord,
  { step, shown, outputs: read, ...said }: DecideAct,
  project: OpenProject,
): Promise<Decided> {
  const { engine } = project
  const { run_id } = run
  const { decision, by } = said
  if (read !== undefined && decision !== 'succeeded')
    throw refused(`outputs need the decision "succeeded", not "${decision}"`)
  const call = shown === undefined ? undefined : await findShown(run, step, shown, project)
  // Of what is not as it was shown, no field is read: the engine refuses it, and says what has happened.
  const isAsShown = shown === undefined || call !== undefined
  const outputs = isAsShown ? read?.(call?.described) : undefined
  if (decision === 'succeeded' && isAsShown) {
    const unresolved = await engine.readUnresolvedCalls(run)
    const problem = await findOutputsProblem(project, run, unresolved, step, outputs)
    if (problem) throw new OutputsRefused(problem)
  }
  const verdict = {
    ...said,
    ...withoutUndefined({ shown, outputs }),
  }
  try {
    const left = await engine.decideOutcome(run_id, step, verdict)
    return { run_id, step, decision, by, left: left.map(({ path }) => path) }
  } catch (error) {
    if (shown === undefined || !RunbookError.is(error) || !isRefusal(error)) throw error
    // The engine says who was faster.
    throw new Outdated(error, await readOutcomes(run_id, project))
  }
}

/** The call of this path, if it is still as it was shown. */
async function findShown(
  run: RunRecord,
  step: string,
  shown: string,
  { engine, io }: OpenProject,
): Promise<UnknownCall | undefined> {
  const calls = await readUnknownCalls(run, engine, io)
  return calls.find(({ outcome }) => outcome.path === step && callWord(outcome, run) === shown)
}

/** Another person was faster, or the run is being resumed. */
function isRefusal({ code }: RunbookError): boolean {
  return code === 'InvalidInput' || code === 'RunInUse'
}

/** The calls of a run with an unknown outcome, each with its word and with what its answer looks like. */
export async function readOutcomes(id: string, { io, engine }: OpenProject): Promise<Outcomes> {
  const run = await findRun(id, engine)
  const calls = await readUnknownCalls(run, engine, io)
  const mask = await maskOf(run, engine)
  const outcomes = calls.map(({ outcome, described }) => ({
    ...publicJson(outcome),
    shown: callWord(outcome, run),
    reads: outcome.reads ?? [],
    ...(described === undefined ? {} : { output: described.output }),
    risk: described === undefined ? ('create' as const) : safetyOf(described, outcome.sent?.input ?? {}),
  }))
  return maskDocument(mask, { outcomes })
}
