import { type ActionDescription, type Safety, safetyOf } from '../../core/action.ts'
import { withoutUndefined } from '../../core/json.ts'
import {
  type AttemptRecord,
  createPlanIndex,
  isLeftUnresolved,
  type RunRecord,
} from '../../core/record/index.ts'
import { shellWord } from '../../core/text/index.ts'
import type { UnknownOutcome } from '../../documents/index.ts'
import type { Engine } from '../../engine/index.ts'
import type { Surroundings } from '../surroundings.ts'
import { printableLine } from '../text/printable.ts'
import { outputsRead } from './outputs-read.ts'

/** How to find out if the action does not describe it. */
const findOutBySafety: Readonly<Record<Safety, string>> = {
  create: 'Look in the target system: was something with these arguments created at that time?',
  idempotent:
    'It can be repeated safely: if you cannot find out, decide "retry", or "failed" for a cancelled run.',
  read: 'It changes nothing: decide "retry".',
}

/**
 * The calls of a run with an unknown outcome, as documents name them: those of {@link readUnknownCalls}.
 */
export async function readUnknownOutcomes(
  run: RunRecord,
  engine: Engine,
  io: Surroundings,
): Promise<readonly UnknownOutcome[]> {
  return (await readUnknownCalls(run, engine, io)).map(({ outcome }) => outcome)
}

/** A call with an unknown outcome, and its action. */
export interface UnknownCall {
  readonly outcome: UnknownOutcome
  /** Left out: the action is not known here. */
  readonly described?: ActionDescription
}

/**
 * The calls of a run with an unknown outcome: those that need a decision, creates that were in flight when the process of
 * an interrupted run ended, and those that a cancellation left unresolved.
 */
export async function readUnknownCalls(
  run: RunRecord,
  engine: Engine,
  io: Surroundings,
): Promise<readonly UnknownCall[]> {
  const attempts = await readAttempts(run, engine)
  if (attempts.length === 0) return []
  const actions = await loadKnownActions(io)
  return attempts.map(({ path, action, attempt, started_at, sent, request_id, error: recorded }) => {
    const error = isLeftUnresolved(recorded) ? recorded?.cause : recorded
    const described = actions.find(({ name }) => name === action)
    const reads = readsOfCall(run, { path, action }, actions)
    const outcome = {
      path,
      action,
      attempt,
      started_at,
      ...withoutUndefined({ sent, request_id, error }),
      find_out: described?.findOut ?? findOutBySafety[described?.safety ?? 'create'],
      ...(reads === undefined ? {} : { reads }),
    }
    return { outcome, ...(described === undefined ? {} : { described }) }
  })
}

/** The actions here. Those of a project that cannot be loaded are left out. */
export async function loadKnownActions(io: Surroundings): Promise<readonly ActionDescription[]> {
  const { loadDescriptions } = await import('../actions/load-actions.ts')
  return loadDescriptions(io).catch(() => [])
}

/** What later steps read of the answer of a call. Undefined: its action is not among these. */
export function readsOfCall(
  { plan }: Pick<RunRecord, 'plan'>,
  { path, action }: Pick<UnknownOutcome, 'path' | 'action'>,
  actions: readonly ActionDescription[],
): UnknownOutcome['reads'] {
  const described = actions.find(({ name }) => name === action)
  const step = createPlanIndex(plan).ownerOf(path)?.step
  return described === undefined || step?.kind !== 'uses' ? undefined : outputsRead(plan, step, described)
}

/** The words that give `opsbook decide` the answer of a call. None where no later step reads it. */
export function outputsWords(reads: UnknownOutcome['reads']): readonly string[] {
  if (reads === undefined) return ['--outputs', `'{…}'`]
  const fields = reads.map((name) => `${JSON.stringify(name)}: …`)
  return fields.length === 0 ? [] : ['--outputs', shellWord(printableLine(`{${fields.join(', ')}}`))]
}

/** The last attempt of each of these calls. */
async function readAttempts(run: RunRecord, engine: Engine): Promise<readonly AttemptRecord[]> {
  const { run_id: runId, status, decisions } = run
  const isEnded = status !== 'unknown' && status !== 'interrupted'
  const left = leftPaths(decisions)
  if (isEnded && left.size === 0) return []
  const unresolved = status === 'unknown' ? await engine.readUnresolvedCalls(run) : []
  if (status === 'unknown' && unresolved.length === 0) return []
  const last = new Map(unresolved.map(({ path, attempt }) => [path, attempt]))
  const isCreate = createJudge(run)
  const isMeant = (one: AttemptRecord): boolean => {
    if (status === 'unknown') return last.get(one.path) === one.attempt
    return isEnded ? left.has(one.path) : one.status === 'begun' && isCreate(one)
  }
  const found = [...(await engine.readAttempts(runId))].filter((one) => !one.is_superseded && isMeant(one))
  // After a decision to retry, attempts are numbered anew.
  return [...new Map(found.map((one) => [one.path, one])).values()]
}

/** The calls that a cancellation left unresolved. */
function leftPaths(decisions: RunRecord['decisions']): ReadonlySet<string> {
  const last = new Map(decisions.map(({ path, decision }) => [path, decision]))
  return new Set([...last].flatMap(([path, decision]) => (decision === 'cancelled' ? [path] : [])))
}

function createJudge({ plan }: RunRecord): (attempt: AttemptRecord) => boolean {
  const index = createPlanIndex(plan)
  return ({ path, sent }) => {
    const step = index.ownerOf(path)?.step
    return step?.kind === 'uses' && safetyOf(step.uses.action, sent?.input ?? {}) === 'create'
  }
}
