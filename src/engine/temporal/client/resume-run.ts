import { needsDecision } from '../../../core/record/needs-decision.ts'
import { refused } from '../../../core/record/refused.ts'
import type { RunStart } from '../messages.ts'
import { findUndecided } from '../resume/find-undecided.ts'
import { reopenCarried } from '../resume/reopen-carried.ts'
import { beginAgain, type ResumeOptions } from './begin-again.ts'
import { type EndedRun, readEnded } from './read-ended.ts'

/**
 * Goes on with a run that has ended: as another execution of its workflow, which takes along what was done. Answers with
 * what the new execution was started with. Rejects with `OutcomeUnknown` where a person must decide first, with
 * `RunInUse` for a run that goes on, and with `InvalidInput` for one that is over for good.
 */
export async function resumeRun(options: ResumeOptions): Promise<RunStart> {
  const ended = await readResumable(options)
  const { start, carried, status } = ended
  return beginAgain(options, ended, { ...start, carried: reopenCarried(start.plan, carried, status) })
}

/** Reads what a run that can be resumed would take along; rejects as {@link resumeRun} does. */
export async function readResumable(options: ResumeOptions): Promise<EndedRun> {
  const { runId } = options
  const ended = await readEnded(options, runId, (status) => {
    if (status === 'cancelled') throw refused(`${runId} was cancelled: start it anew`)
    throw refused(`${runId} has succeeded: nothing is left to do`, 'To do it once more, start another run.')
  })
  // What was on its way as the run was stopped comes out as it goes on.
  const [undecided] = ended.status === 'interrupted' ? [] : findUndecided(ended.start.plan, ended.carried)
  if (undecided) throw needsDecision(runId, undecided.path)
  return ended
}
