/** `opsbook approve` and `opsbook reject`. */

import { isCarriedOut } from '../../core/record/run-record.ts'
import { answerQuestion, type RunRecord } from '../../engine/embedded/index.ts'
import type { AnswerFlags } from '../commands/answer.ts'
import type { CommandContext } from '../context.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { readWho } from '../read-who.ts'
import { findRun } from '../record/find-run.ts'
import { withRecord } from '../record/open-record.ts'
import { tellDone } from '../terminal/tell-done.ts'

/** Answers what a step asks. */
export function answerStep(
  context: CommandContext,
  kind: 'approve' | 'reject',
  place: { readonly run: string; readonly step: string },
  options: AnswerFlags,
): Promise<ExitCode> {
  const who = readWho(options)
  return withRecord(context, options, async (reader, dataDir) => {
    const { run_id: runId } = findRun(place.run, reader)
    const run = reader.readRun(runId)
    const answer = { approved: kind === 'approve', ...who }
    const path = await answerQuestion({ dataDir, runId, step: place.step, answer })
    const isGoingOn = isCarriedOut(reader.readRun(runId)?.status ?? 'interrupted')
    const done = kind === 'approve' ? 'approved' : 'rejected'
    tellDone(context, options, {
      document: { run_id: runId, step: path, status: done, by: who.by },
      text: `${path} of ${runId} is ${done} by ${who.by}${asked(run, path)}${isGoingOn ? '' : '; no process carries the run out now'}`,
      next: `${isGoingOn ? 'watch' : 'resume'} ${runId}`,
    })
    return exitCodes.succeeded
  })
}

/** Whoever answers by the name of a step sees what they have answered. */
function asked(run: RunRecord | undefined, path: string): string {
  const message = run?.questions.find((question) => question.path === path)?.message
  return message === undefined ? '' : ` (${message})`
}
