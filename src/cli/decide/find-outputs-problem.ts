import type { JsonObject } from '../../core/json.ts'
import { createPlanIndex } from '../../core/record/index.ts'
import type { DecisionRecord, RunRecord, UnresolvedCall } from '../../engine/embedded/index.ts'
import type { CommandContext } from '../shared/context.ts'
import { isAnswerRead, outputProblems, outputsRead } from '../shared/record/outputs-read.ts'

/** Why outputs cannot stand for the answer of a call. */
export interface OutputsProblem {
  /** The action. */
  readonly called: string
  /** What the outputs have that the action does not answer, each as a sentence. */
  readonly unknown: readonly string[]
  /** What later steps read of which answer, as a sentence. */
  readonly lack: string
  /** The fields that later steps read, and that are not given. */
  readonly missing: readonly string[]
  readonly isGiven: boolean
}

/** Compares outputs with what later steps read of the answer of a call. Undefined: they are enough. */
export async function findOutputsProblem(
  { io }: CommandContext,
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
  const decided = call && createPlanIndex(plan).ownerOf(call.path)?.step
  if (decided?.kind !== 'uses' || (outputs === undefined && !decided.isRead)) return undefined
  const { loadDescriptions } = await import('../shared/load-actions.ts')
  const called = decided.uses.action.name
  const action = (await loadDescriptions(io)).find(({ name }) => name === called)
  const unknown = action ? outputProblems(outputs ?? {}, action) : []
  const read = action ? outputsRead(plan, decided, action) : []
  const missing = read.filter((name) => !Object.hasOwn(outputs ?? {}, name))
  // Counts of a loop, for example, need no answer.
  const isEnough = outputs !== undefined || (action !== undefined && !isAnswerRead(plan, decided))
  if (isEnough && unknown.length === 0 && missing.length === 0) return undefined
  return {
    called,
    unknown,
    lack: `later steps read ${read.length === 0 ? 'the answer' : `${read.join(', ')} of the answer`} of ${call?.path}`,
    missing,
    isGiven: outputs !== undefined,
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
