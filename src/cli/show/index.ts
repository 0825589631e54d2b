/** `opsbook show`: one run of the record. */
import type { ActionDescription } from '../../core/action.ts'
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
import { artifactLines } from './artifact-lines.ts'
import { inputLines } from './input-lines.ts'
import { journalLines } from './journal/journal-lines.ts'
import { peopleLines } from './people-lines.ts'
import { showDocument } from './show-document.ts'
import { undecidedLines } from './undecided-lines.ts'

/** Shows a run as it stands. */
export function show(context: CommandContext, given: string, options: ShowOptions): Promise<ExitCode> {
  return withRecord(context, options, async (reader) => {
    const run = findRun(given, reader)
    if (options.output === 'json') answerJson(context, showDocument(run, reader, options.full === true))
    else writeText(context, run, reader, await describedActions(context, run), options)
    return exitCodes.succeeded
  })
}

function writeText(
  context: CommandContext,
  run: RunRecord,
  reader: RunReader,
  actions: readonly ActionDescription[],
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
    isDecided: run.status === 'unknown' && reader.readUndecided(run.run_id).length === 0,
  }
  const undecided = undecidedLines(run, reader, actions, report)
  answer(
    context,
    reportLines(run, stateOf(run, reader), { ...report, ...(undecided.length === 0 ? {} : { undecided }) }),
  )
  answer(context, [...peopleLines(run, report), ...inputLines(run, report)])
  if (!full) return
  const files = artifactLines(run, report)
  if (files.length > 0) answer(context, files)
  answer(context, ['', paint.bold('Journal')])
  for (const lines of journalLines(run, reader, report)) answer(context, lines)
}

/** What can be called here, for the one who has to find something out. A project that cannot be loaded is no hindrance. */
async function describedActions(
  { io }: CommandContext,
  { status }: RunRecord,
): Promise<readonly ActionDescription[]> {
  if (status !== 'unknown') return []
  const { loadDescriptions } = await import('../load-actions.ts')
  return loadDescriptions(io).catch(() => [])
}

/** What the events of the run have said so far. */
function stateOf(run: RunRecord, reader: RunReader): RunState {
  const state = createRunState(runFacts(run.plan))
  for (const { event } of reader.readEvents(run.run_id)) state.take(event)
  return state
}
