import { goneOn } from '../../../core/record/gone-on.ts'
import { createPlanIndex } from '../../../core/record/plan-index.ts'
import type { UndecidedCall, Verdict } from '../../engine.ts'
import { chooseCall } from '../../record/choose-call.ts'
import type { Carried } from '../carried.ts'
import type { RunStart } from '../messages.ts'
import { decideCarried, takeBackCarried } from '../resume/decide-carried.ts'
import { findUndecided } from '../resume/find-undecided.ts'
import { keepDecided } from './begin-again.ts'
import { readEnded } from './read-ended.ts'
import type { ClientPorts } from './talk-to-run.ts'

/**
 * Settles a write of which nobody knew whether it was carried out; the run ends at once as it had ended, and keeps that.
 * Resolves with what is still in doubt. Until the run has gone on another decision takes the place of the first.
 *
 * Rejects with `InvalidInput` where nothing is in doubt, and with `RunInUse` for a run that goes on.
 */
export async function decideRun(
  ports: ClientPorts,
  runId: string,
  step: string,
  verdict: Verdict,
): Promise<readonly UndecidedCall[]> {
  const ended = await readEnded(ports, runId, (status) => {
    chooseCall([], { runId, step }, status)
  })
  const { start, status } = ended
  const carried = takenBack(ended, step)
  const call = chooseCall(findUndecided(start.plan, carried), { runId, step }, status)
  const decided = decideCarried(carried, call, verdict, Date.now())
  await keepDecided(ports, ended, decided)
  return findUndecided(start.plan, decided)
}

/** The last decision about the step is taken back where it is that which is meant, and nothing has followed from it. */
function takenBack(
  { start: { plan, runId }, carried, status }: { readonly start: RunStart; carried: Carried; status: string },
  step: string,
): Carried {
  const isMeant = (one: { readonly path: string }): boolean =>
    one.path === step || index.ownerOf(one.path)?.step.id === step
  const index = createPlanIndex(plan)
  const isInDoubt = findUndecided(plan, carried).some(isMeant)
  const decisions = carried.decisions.filter((one) => one.decision !== 'cancelled' && isMeant(one))
  const last = decisions.findLast(({ path }) => path === step) ?? decisions.at(-1)
  const isOne = new Set(decisions.map(({ path }) => path)).size === 1
  if (isInDoubt || !last || !(isOne || last.path === step)) return carried
  const before = carried.decided?.find(({ path }) => path === last.path)
  if (!before) throw goneOn(runId, status, last, index.ownerOf(last.path)?.step.id ?? last.path)
  return takeBackCarried(carried, before)
}
