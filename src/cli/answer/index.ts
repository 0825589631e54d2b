/** `opsbook approve` and `opsbook reject`. */
import { identityText } from '../../core/record/identity.ts'
import { isCarriedOut, type RunStanding } from '../../core/record/run-record.ts'
import type { AnswerFlags } from '../commands/answer.ts'
import type { CommandContext } from '../context.ts'
import { withEngine } from '../engine/with-engine.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { readWho } from '../read-who.ts'
import { findStanding, refuseVagueLatest } from '../record/find-run.ts'
import { tellDone } from '../terminal/tell-done.ts'

/** Answers what a step asks. */
export function answerStep(
  context: CommandContext,
  kind: 'approve' | 'reject',
  place: { readonly run: string; readonly step: string },
  options: AnswerFlags,
): Promise<ExitCode> {
  const who = readWho(options)
  return withEngine(context, options, async (engine) => {
    await refuseVagueLatest(place.run, engine, ['waiting'])
    const run = await findStanding(place.run, engine)
    const { run_id: runId } = run
    const answer = { approved: kind === 'approve', ...who }
    const path = await engine.answerQuestion(runId, place.step, answer)
    const { status = 'interrupted' } = (await engine.readStanding(runId)) ?? {}
    const isLeft = status === 'interrupted'
    const done = kind === 'approve' ? 'approved' : 'rejected'
    tellDone(context, options, {
      document: { run_id: runId, step: path, status: done, by: who.by },
      text: `${path} of ${runId} is ${done} by ${identityText(who.by)}${asked(run, path)}${isLeft ? '; no process carries the run out now' : ''}`,
      // Where it was the last thing that a run waited for, it may be over by now.
      next: `${isLeft ? 'resume' : isCarriedOut(status) ? 'watch' : 'show'} ${runId}`,
    })
    return exitCodes.succeeded
  })
}

/** Whoever answers by the name of a step sees what they have answered. */
function asked({ questions }: RunStanding, path: string): string {
  const message = questions.find((question) => question.path === path)?.message
  return message === undefined ? '' : ` (${message})`
}
