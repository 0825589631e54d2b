import { createPlanIndex, refusedAsContinued, refusedAsDecided } from '../../../core/record/index.ts'
import type { UnresolvedCall, Verdict } from '../../index.ts'
import { chooseCall, refuseChangedCall, refuseRetry } from '../../record/index.ts'
import {
  decideContinued,
  findUnresolvedCalls,
  readUnusedDecision,
  takeBackContinued,
} from '../resume/decide-continued.ts'
import type { ClientPorts } from './client-ports.ts'
import { type EndedRunAnswer, readEnded } from './read-ended.ts'
import { recordDecision } from './start-next-execution.ts'

/**
 * Resolves a call with an unknown outcome, and records that in an execution that ends as the run had ended. Resolves
 * with the calls that are still unresolved. Until a resume has used a decision, another one with `replaces` can replace it.
 *
 * Rejects with `InvalidInput` where no outcome is unknown, it was resolved already or is not as it was shown, and with `RunInUse` for an open run.
 */
export async function decideRun(
  ports: ClientPorts,
  runId: string,
  step: string,
  verdict: Verdict,
): Promise<readonly UnresolvedCall[]> {
  const now = await readEnded(ports, runId, (status) => {
    chooseCall([], { runId, step }, status)
  })
  const ended = await takenBack(ports, now, step, verdict.replaces === true)
  const { start, continued, status } = ended
  const open = continued.control_requests.filter(({ over_at }) => over_at === undefined)
  refuseRetry({ runId, ...verdict }, open)
  const call = chooseCall(findUnresolvedCalls(start.plan, continued, 'all'), { runId, step }, status)
  // The decision is recorded only if this execution is still the last one.
  refuseChangedCall(call, { runId, ...verdict }, continued)
  const decided = decideContinued(continued, call, verdict, Date.now())
  await recordDecision(ports, ended, decided)
  return findUnresolvedCalls(start.plan, decided)
}

/**
 * Takes back the last decision about the step, where it is the one that is meant and no resume has used it.
 */
async function takenBack(
  ports: ClientPorts,
  now: EndedRunAnswer,
  step: string,
  replaces: boolean,
): Promise<EndedRunAnswer> {
  const { continued, status } = now
  const { plan, runId } = now.start
  const isMeant = (one: { readonly path: string }): boolean =>
    one.path === step || index.ownerOf(one.path)?.step.id === step
  const index = createPlanIndex(plan)
  const hasUnknownOutcome = findUnresolvedCalls(plan, continued, 'all').some(isMeant)
  const decisions = continued.decisions.filter((one) => one.decision !== 'cancelled' && isMeant(one))
  const last = decisions.findLast(({ path }) => path === step) ?? decisions.at(-1)
  const isOne = new Set(decisions.map(({ path }) => path)).size === 1
  if (hasUnknownOutcome || !last || !(isOne || last.path === step)) return now
  const ended = continued.decided?.some(({ path }) => path === last.path)
    ? now
    : await readUnusedDecision(ports, now, last)
  const before = ended?.continued.decided?.find(({ path }) => path === last.path)
  if (!ended || !before)
    throw refusedAsContinued(runId, status, last, index.ownerOf(last.path)?.step.id ?? last.path)
  if (!replaces) throw refusedAsDecided(runId, last)
  return { ...ended, continued: takeBackContinued(ended.continued, before) }
}
