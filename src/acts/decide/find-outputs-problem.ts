import { givenOutputProblems } from '../../actions/index.ts'
import type { JsonObject } from '../../core/json.ts'
import { createPlanIndex, type DecisionRecord, type RunRecord } from '../../core/record/index.ts'
import type { UnresolvedCall } from '../../engine/index.ts'
import type { ProjectContext } from '../../project/index.ts'
import { isAnswerRead, outputsRead, unknownOutputs } from '../../project/records/index.ts'

/** Why outputs cannot stand for the answer of a call. */
export interface OutputsProblem {
  /** The action. */
  readonly called: string
  /** The path of the call. */
  readonly path: string
  /** The names that the action does not answer, and the values of a wrong type, each as a sentence. */
  readonly wrong: readonly string[]
  /** What later steps read of which answer, as a sentence. */
  readonly lack: string
  /** The fields that later steps read, and that are not given. */
  readonly missing: readonly string[]
  /** The fields of outputs that would be enough: those that later steps read, and those given that the action has. */
  readonly fields: readonly string[]
  readonly isGiven: boolean
  /** What to do where a value that later steps read cannot be found. */
  readonly hint?: string
}

/**
 * Compares outputs with the output schema of the action, and with what later steps read of the answer of a call.
 * Undefined: they fit, and are enough.
 */
export async function findOutputsProblem(
  { io }: ProjectContext,
  run: RunRecord,
  unresolved: readonly UnresolvedCall[],
  step: string,
  outputs: JsonObject | undefined,
): Promise<OutputsProblem | undefined> {
  const { plan } = run
  const call =
    unresolved.find(({ path }) => path === step) ??
    unresolved.find((one) => one.step === step) ??
    corrected(run, unresolved, step)
  if (call === undefined) return undefined
  const decided = createPlanIndex(plan).ownerOf(call.path)?.step
  if (decided?.kind !== 'uses' || (outputs === undefined && !decided.isRead)) return undefined
  const { loadDescriptions } = await import('../../project/actions/index.ts')
  const called = decided.uses.action.name
  const action = (await loadDescriptions(io)).find(({ name }) => name === called)
  const given = outputs ?? {}
  const read = action ? outputsRead(plan, decided, action) : []
  const unknown = action ? unknownOutputs(given, action) : []
  const mistyped = action ? givenOutputProblems(action, given, read) : []
  const wrong = [
    ...unknown.map(({ problem }) => problem),
    ...mistyped.map(({ path, message }) => `${path} ${message}`),
  ]
  const missing = read.filter((name) => !Object.hasOwn(given, name))
  // Counts of a loop, for example, need no answer.
  const isEnough = outputs !== undefined || (action !== undefined && !isAnswerRead(plan, decided))
  if (isEnough && wrong.length === 0 && missing.length === 0) return undefined
  const known = Object.keys(given).filter((name) => unknown.every((one) => one.name !== name))
  return {
    called,
    path: call.path,
    wrong,
    lack: `later steps read ${read.length === 0 ? 'the answer' : `${read.join(', ')} of the answer`} of ${call.path}`,
    missing,
    fields: [...new Set([...read, ...known])],
    isGiven: outputs !== undefined,
    ...(read.length === 0
      ? {}
      : { hint: 'where a value cannot be found: delete what was created, then decide "retry"' }),
  }
}

/** The earlier decision that this one replaces, if any. */
export function corrected(
  { decisions, plan }: RunRecord,
  unresolved: readonly UnresolvedCall[],
  step: string,
): DecisionRecord | undefined {
  if (unresolved.some((call) => call.path === step || call.step === step)) return undefined
  const index = createPlanIndex(plan)
  const isMeant = (path: string): boolean => path === step || index.ownerOf(path)?.step.id === step
  return decisions.findLast(({ path, decision }) => decision !== 'cancelled' && isMeant(path))
}
