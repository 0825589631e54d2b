/** `opsbook show`: one run of the record. */
import type { ActionDescription } from '../../core/action.ts'
import { createMask, type Mask } from '../../core/mask/mask.ts'
import type { RunRecord } from '../../core/record/run-record.ts'
import type { ShowOptions } from '../commands/show.ts'
import { placeFlags } from '../configuration/place-flags.ts'
import { answer, answerJson, type CommandContext } from '../context.ts'
import { withEngine } from '../engine/with-engine.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { findRun } from '../record/find-run.ts'
import { hideSensitiveInputs, learnSecrets } from '../record/learn-secrets.ts'
import { runFacts } from '../run/follow/run-facts.ts'
import { createRunState, type RunState } from '../run/follow/run-state.ts'
import { type ReportOptions, reportLines } from '../run/report/report-lines.ts'
import { momentText } from '../terminal/duration-text.ts'
import { chooseSymbols } from '../terminal/symbols.ts'
import { artifactLines } from './artifact-lines.ts'
import { inputLines } from './input-lines.ts'
import { journalLines } from './journal/journal-lines.ts'
import { missingFileLines } from './missing-file-lines.ts'
import { peopleLines } from './people-lines.ts'
import { type RunJournal, readJournal } from './read-journal.ts'
import { showDocument } from './show-document.ts'
import { undecidedLines } from './undecided-lines.ts'
import { waitingLines } from './waiting-lines.ts'

/** Shows a run as it stands. */
export function show(context: CommandContext, given: string, options: ShowOptions): Promise<ExitCode> {
  return withEngine(context, options, async (engine, dataDir) => {
    const run = await findRun(given, engine)
    const journal = await readJournal(run, engine, options.full === true)
    const mask = inputsMask(run)
    if (!options.reveal) await learnSecrets(run, engine, mask)
    const state = stateOf(run, journal, mask)
    if (options.output === 'json') {
      const document = showDocument(run, options.full ? journal : undefined, state.items)
      answerJson(context, inputsMask(run).value(document))
      return exitCodes.succeeded
    }
    writeText(context, run, { ...journal, state }, mask, await describedActions(context, run), options)
    const missing = engine.kind === 'temporal' ? missingFileLines(run, dataDir) : []
    if (missing.length > 0) answer(context, missing)
    return exitCodes.succeeded
  })
}

/** Hides what is not to be revealed either. */
function inputsMask(run: RunRecord): Mask {
  const mask = createMask()
  hideSensitiveInputs(run, mask)
  return mask
}

function writeText(
  context: CommandContext,
  run: RunRecord,
  journal: RunJournal & { readonly state: RunState },
  mask: Mask,
  actions: readonly ActionDescription[],
  { full = false, ...options }: ShowOptions,
): void {
  const { paint, io } = context
  const { state } = journal
  const report: ReportOptions = {
    items: state.items,
    paint,
    symbols: chooseSymbols(io.env),
    mask,
    width: io.stdout.columns,
    now: Date.now(),
    flags: placeFlags(options),
    isFull: full,
    undecidedPaths: journal.undecided.map(({ path }) => path),
  }
  const undecided = undecidedLines(run, journal, actions, report)
  answer(context, reportLines(run, state, { ...report, ...(undecided.length === 0 ? {} : { undecided }) }))
  answer(context, [
    ...keptLines(run),
    ...waitingLines(run, report),
    ...peopleLines(run, report),
    ...inputLines(run, report),
  ])
  if (!full) return
  const files = artifactLines(run, report)
  if (files.length > 0) answer(context, files)
  answer(context, ['', paint.bold('Journal')])
  for (const lines of journalLines(run, journal, report)) answer(context, lines)
}

/** Says that there was more, where the server keeps only the last executions of a long run. */
function keptLines({ kept_from }: RunRecord): readonly string[] {
  if (kept_from === undefined) return []
  const when = momentText(Date.parse(kept_from))
  return ['', `what happened before ${when} is not kept any more: the retention of the server has passed`]
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
function stateOf(run: RunRecord, { events }: RunJournal, mask: Mask): RunState {
  const state = createRunState({ ...runFacts(run.plan), mask })
  for (const { event } of events) state.take(event)
  return state
}
