/** `opsbook show`: one run of the record. */
import type { RunReader, RunRecord } from '../../engine/embedded/index.ts'
import type { ShowOptions } from '../commands/show.ts'
import { dataDirFlag } from '../configuration/data-dir-flag.ts'
import { answer, answerJson, type CommandContext } from '../context.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { findRun } from '../record/find-run.ts'
import { learnSecrets } from '../record/learn-secrets.ts'
import { withRecord } from '../record/open-record.ts'
import { runFacts } from '../run/follow/run-facts.ts'
import { createRunState, type RunState } from '../run/follow/run-state.ts'
import { type ReportOptions, reportLines } from '../run/report/report-lines.ts'
import { createMask } from '../terminal/mask.ts'
import { chooseSymbols } from '../terminal/symbols.ts'
import { attemptLines } from './attempt-lines.ts'
import { inputLines } from './input-lines.ts'
import { showDocument } from './show-document.ts'

/** Shows a run as it stands. */
export function show(context: CommandContext, given: string, options: ShowOptions): Promise<ExitCode> {
  return withRecord(context, options, (reader) => {
    const run = findRun(given, reader)
    if (options.output === 'json') answerJson(context, showDocument(run, reader, options.full === true))
    else writeText(context, run, reader, options)
    return exitCodes.succeeded
  })
}

function writeText(
  context: CommandContext,
  run: RunRecord,
  reader: RunReader,
  { full = false, reveal, ...options }: ShowOptions,
): void {
  const { paint, io } = context
  const mask = createMask()
  if (!reveal) learnSecrets(run, reader, mask)
  const report: ReportOptions = {
    paint,
    symbols: chooseSymbols(io.env),
    mask,
    width: io.stdout.columns,
    now: Date.now(),
    flags: dataDirFlag(options),
    isFull: full,
  }
  answer(context, reportLines(run, stateOf(run, reader), report))
  answer(context, inputLines(run, report))
  if (!full) return
  answer(context, ['', paint.bold('Journal')])
  for (const attempt of reader.readAttempts(run.run_id)) answer(context, attemptLines(attempt, report))
}

/** What the events of the run have said so far. */
function stateOf(run: RunRecord, reader: RunReader): RunState {
  const state = createRunState(runFacts(run.plan))
  for (const { event } of reader.readEvents(run.run_id)) state.take(event)
  return state
}
