/** `opsbook approve` and `opsbook reject`. */
import { type RecordedAnswer, vouch } from '../../core/people/index.ts'
import { chooseQuestion, identityText, isExecuted, type RunState } from '../../core/record/index.ts'
import type { Engine } from '../../engine/index.ts'
import { type ItemNames, readItemNames } from '../run/follow/item-names.ts'
import { answerDone, type CommandContext } from '../shared/context.ts'
import { withEngine } from '../shared/engine/with-engine.ts'
import { type ExitCode, exitCodes } from '../shared/exit-codes.ts'
import type { EngineFlags, OutputFlags } from '../shared/options.ts'

import { readWho, type WhoFlags } from '../shared/read-who.ts'

import { findRunState, refuseVagueLatest } from '../shared/record/find-run.ts'

/** The flags of `approve` and `reject`, as the parser hands them over. */
export interface AnswerFlags extends WhoFlags, EngineFlags, OutputFlags {}

/** Approves or rejects a step that waits for approval. */
export function answerStep(
  context: CommandContext,
  kind: 'approve' | 'reject',
  named: { readonly run: string; readonly step: string },
  options: AnswerFlags,
): Promise<ExitCode> {
  const { by: claimed, ...comment } = readWho(options)
  return withEngine(context, options, async (engine, _dataDir, { document: { people = {} } }) => {
    await refuseVagueLatest(named.run, engine, ['waiting'])
    const run = await findRunState(named.run, engine)
    const { run_id: runId } = run
    const answer = { approved: kind === 'approve', ...vouch(people, claimed), ...comment }
    const { by } = answer
    const items = await readItemNamesOf(runId, [named.step, ...run.questions.map(({ path }) => path)], engine)
    // Fails as the engine would, with the names of items in the message.
    if (items) chooseQuestion(run.questions, named.step, runId, items.label)
    const recorded = await engine.answerQuestion(runId, named.step, answer)
    const { step: path } = recorded
    const { status = 'interrupted' } = (await engine.readRunState(runId)) ?? {}
    const isLeft = status === 'interrupted'
    const done = kind === 'approve' ? 'approved' : 'rejected'
    answerDone(context, options, {
      document: {
        run_id: runId,
        step: path,
        status: done,
        by,
        count: recorded.count,
        needed: recorded.needed,
      },
      text: `${items?.label(path) ?? path} of ${runId} was ${done} by ${identityText(by)}${asked(run, path)}${stillNeeded(recorded)}${isLeft ? '; no process executes the run now' : ''}${status === 'paused' ? '; the answer is recorded, and the run continues after "unpause"' : ''}`,
      // If this was the run's last step, it may have ended by now.
      next: `${isLeft ? 'resume' : status === 'paused' ? 'unpause' : isExecuted(status) ? 'watch' : 'show'} ${runId}`,
    })
    return exitCodes.succeeded
  })
}

/** How many more people must answer. */
function stillNeeded({ kind, count, needed }: RecordedAnswer): string {
  return kind === 'settled' ? '' : `: ${count} of ${needed}; another person must answer`
}

/** Reads the names of loop items. The whole record is read only if a question belongs to a loop. */
async function readItemNamesOf(
  runId: string,
  paths: readonly string[],
  engine: Engine,
): Promise<ItemNames | undefined> {
  const record = paths.some((path) => path.includes('[')) ? await engine.readRun(runId) : undefined
  return record && readItemNames(record, paths, engine)
}

/** The question, so that a user who answers by the name of a step sees what they answered. */
function asked({ questions }: RunState, path: string): string {
  const message = questions.find((question) => question.path === path)?.message
  return message === undefined ? '' : ` (${message})`
}
