import { needsDecision } from '../../../core/record/needs-decision.ts'
import type { UndecidedCall } from '../../engine.ts'
import type { RunStart } from '../messages.ts'
import { decideCarried, type Verdict } from '../resume/decide-carried.ts'
import { findUndecided } from '../resume/find-undecided.ts'
import { reopenCarried } from '../resume/reopen-carried.ts'
import { beginAgain, type ResumeOptions } from './begin-again.ts'
import { readEnded } from './read-ended.ts'

/**
 * Goes on with a run that has ended: as another execution of its workflow, which takes along what was done. Answers with
 * what the new execution was started with. Rejects with `OutcomeUnknown` where a person must decide first, with
 * `RunInUse` for a run that goes on, and with `InvalidInput` for one that is over for good.
 */
export async function resumeRun(options: ResumeOptions): Promise<RunStart> {
  const ended = await readEnded(options, options.runId)
  const { start, carried, status } = ended
  const [undecided] = findUndecided(start.plan, carried)
  if (undecided) throw needsDecision(options.runId, undecided.path)
  const reopened = reopenCarried(start.plan, carried, status)
  return beginAgain(options, ended, { ...start, carried: reopened })
}

/**
 * Settles a write of which nobody knew whether it was carried out. Once nothing is in doubt any more the run goes on;
 * until then what was decided is kept in an execution that ends at once as unknown.
 */
export async function decideRun(
  options: ResumeOptions,
  choose: (undecided: readonly UndecidedCall[]) => UndecidedCall,
  verdict: Verdict,
): Promise<RunStart> {
  const ended = await readEnded(options, options.runId)
  const { start, carried, status } = ended
  const call = choose(findUndecided(start.plan, carried))
  const decided = decideCarried(carried, call, verdict, Date.now())
  return beginAgain(options, ended, { ...start, carried: reopenCarried(start.plan, decided, status) })
}
