import { goneOn } from '../../../core/record/gone-on.ts'
import { createPlanIndex } from '../../../core/record/plan-index.ts'
import type { UndecidedCall, Verdict } from '../../engine.ts'
import { chooseCall } from '../../record/choose-call.ts'
import { decideCarried, takeBackCarried } from '../resume/decide-carried.ts'
import { findUndecided } from '../resume/find-undecided.ts'
import { readUnusedDecision } from '../resume/unused-decision.ts'
import { keepDecided } from './begin-again.ts'
import { type EndedRun, readEnded } from './read-ended.ts'
import type { ClientPorts } from './talk-to-run.ts'

/**
 * Settles a write of which nobody knew whether it was carried out; the run ends at once as it had ended, and keeps that.
 * Resolves with what is still in doubt. Until the run has used a decision, another one takes its place.
 *
 * Rejects with `InvalidInput` where nothing is in doubt, and with `RunInUse` for a run that goes on.
 */
export async function decideRun(
  ports: ClientPorts,
  runId: string,
  step: string,
  verdict: Verdict,
): Promise<readonly UndecidedCall[]> {
  const now = await readEnded(ports, runId, (status) => {
    chooseCall([], { runId, step }, status)
  })
  const ended = await takenBack(ports, now, step)
  const { start, carried, status } = ended
  const call = chooseCall(findUndecided(start.plan, carried), { runId, step }, status)
  const decided = decideCarried(carried, call, verdict, Date.now())
  await keepDecided(ports, ended, decided)
  return findUndecided(start.plan, decided)
}

/** The last decision about the step is taken back where it is that which is meant, and nothing has followed from it. */
async function takenBack(ports: ClientPorts, now: EndedRun, step: string): Promise<EndedRun> {
  const { carried, status } = now
  const { plan, runId } = now.start
  const isMeant = (one: { readonly path: string }): boolean =>
    one.path === step || index.ownerOf(one.path)?.step.id === step
  const index = createPlanIndex(plan)
  const isInDoubt = findUndecided(plan, carried).some(isMeant)
  const decisions = carried.decisions.filter((one) => one.decision !== 'cancelled' && isMeant(one))
  const last = decisions.findLast(({ path }) => path === step) ?? decisions.at(-1)
  const isOne = new Set(decisions.map(({ path }) => path)).size === 1
  if (isInDoubt || !last || !(isOne || last.path === step)) return now
  const ended = carried.decided?.some(({ path }) => path === last.path)
    ? now
    : await readUnusedDecision(ports, now, last)
  const before = ended?.carried.decided?.find(({ path }) => path === last.path)
  if (!ended || !before) throw goneOn(runId, status, last, index.ownerOf(last.path)?.step.id ?? last.path)
  return { ...ended, carried: takeBackCarried(ended.carried, before) }
}
