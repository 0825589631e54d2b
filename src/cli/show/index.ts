/** `opsbook show`: one recorded run. */

import { partOf, type RunJournal, showDocument, withUnknownOutcomes } from '../../acts/reads/run/index.ts'
import type { ErrorCode } from '../../core/errors.ts'
import { createMask, type Mask } from '../../core/mask/index.ts'
import type { RunRecord, StepRecord } from '../../core/record/index.ts'
import { RunbookError } from '../../core/run-error.ts'
import { maskDocument } from '../../documents/index.ts'
import type { Engine } from '../../engine/index.ts'
import { withEngine } from '../../project/engine/index.ts'
import type { EngineFlags } from '../../project/index.ts'
import { findRun, hideSensitiveInputs, learnSecrets } from '../../project/records/index.ts'
import { printableLine } from '../../project/text/index.ts'
import { enclosingPaths, type RunTree, runTreeOf } from '../../view/run/index.ts'
import { reportLines } from '../run/report/report-lines.ts'
import { type ReportedRun, type ReportOptions, reportOptions } from '../run/report/reported-run.ts'
import { answer, answerJson, type CommandContext } from '../shared/context.ts'
import type { OutputFlags } from '../shared/options.ts'
import { momentText } from '../shared/terminal/quantity-text.ts'
import { artifactLines, missingFileLines } from './file-lines.ts'
import { inputLines } from './input-lines.ts'
import { failedInBatch, journalEntries, journalLines, readJournal } from './journal/journal-lines.ts'
import { peopleLines } from './people-lines.ts'
import { stepLines } from './step-lines.ts'
import { waitingLines } from './waiting-lines.ts'

/** The flags of `show`, as the parser hands them over. */
export interface ShowOptions extends EngineFlags, OutputFlags {
  readonly full?: boolean
  readonly failed?: boolean
  readonly reveal?: boolean
}

/** Shows a run in its current state, or one step of it with all that it was sent and answered. */
export function show(
  context: CommandContext,
  given: string,
  step: string | undefined,
  options: ShowOptions,
): Promise<void> {
  return withEngine(context, options, async (engine, dataDir) => {
    const found = await findRun(given, engine).catch(async (thrown: unknown) => {
      if (isUnanswered(thrown) && options.output !== 'json')
        await showUnasked(context, given, engine, options).catch(() => {})
      throw thrown
    })
    const whole = await withUnknownOutcomes(found, engine, context.io)
    const hasAttempts = options.full === true || options.failed === true || step !== undefined
    const read = await readJournal(whole, engine, hasAttempts, step)
    // All inputs that the run has had, also where one step is shown.
    const mask = await inputsMask(whole, engine)
    if (!options.reveal) await learnSecrets(whole, engine, mask)
    const state = runTreeOf(whole, read.events, mask)
    const part =
      step === undefined ? { run: whole, journal: read } : partOf(whole, read, step, state.items.label(step))
    const { run, journal } = options.failed ? failedOf(part) : part
    if (options.output === 'json') {
      const document = showDocument(run, hasAttempts ? journal : undefined, state.items)
      return answerJson(context, maskDocument(mask, document))
    }
    const masks = { mask, revealMask: await inputsMask(whole, engine) }
    const text = { ...journal, state }
    const report = { ...reportOptions(context, state.items, masks, options), isFull: hasAttempts }
    if (step === undefined) writeText(context, run, text, report)
    else answer(context, stepLines(run, text, step, report))
    const missing = engine.kind === 'temporal' ? missingFileLines(run, dataDir) : []
    if (missing.length > 0) answer(context, missing)
  })
}

/** What did not succeed of it, with the calls that succeeded although items of them failed. */
function failedOf<Shown extends RunRecord>({
  run,
  journal,
}: {
  readonly run: Shown
  readonly journal: RunJournal
}): { readonly run: Shown; readonly journal: RunJournal } {
  const isGood: readonly StepRecord['status'][] = ['succeeded', 'skipped', 'pending']
  const bad = run.steps.filter(
    ({ status, failed_items: failed }) => failed !== undefined || !isGood.includes(status),
  )
  // With the steps around them, which say how many there are.
  const shown = new Set(bad.flatMap(({ path }) => enclosingPaths(path)))
  const events = [...journal.events].filter(({ event }) => failedInBatch(event) !== undefined)
  const inPart = new Set(events.map(({ event }) => ('path' in event ? event.path : '')))
  const attempts = [...journal.attempts].filter(
    ({ status, path }) => status !== 'succeeded' || enclosingPaths(path).some((step) => inPart.has(step)),
  )
  return {
    run: { ...run, steps: run.steps.filter(({ path }) => shown.has(path)) },
    journal: { events, attempts },
  }
}

const unanswered: readonly ErrorCode[] = ['NoWorker', 'CodeCannotReplay', 'BuildIsGone']

/** No worker answers for the run, and the server still has what it was started with. */
function isUnanswered(thrown: unknown): boolean {
  return RunbookError.is(thrown) && unanswered.includes(thrown.code)
}

/** Shows what is known of a run without a worker. */
async function showUnasked(
  context: CommandContext,
  given: string,
  engine: Engine,
  options: ShowOptions,
): Promise<void> {
  const run = await findRun(given, engine, { isUnasked: true })
  const mask = await inputsMask(run, engine)
  const { paint } = context
  const { items } = runTreeOf(run, [], mask)
  const step = run.current_step ? ` at ${printableLine(run.current_step.path)}` : ''
  const report = reportOptions(context, items, { mask, revealMask: mask }, options)
  const inputs = inputLines(run, { ...report, isFull: options.full === true })
  answer(
    context,
    [
      `${paint.bold(printableLine(run.runbook))} was last ${run.status}${step}  ${paint.dim(run.run_id)}`,
      'No worker answers for it: its steps, questions and journal cannot be read now.',
      ...inputs,
    ].map((line) => mask.text(line)),
  )
}

/** A mask for values that `--reveal` does not show either. */
async function inputsMask(run: RunRecord, engine: Engine): Promise<Mask> {
  const mask = createMask()
  await hideSensitiveInputs(run, engine, mask)
  return mask
}

function writeText(
  context: CommandContext,
  run: RunRecord & ReportedRun,
  journal: RunJournal & { readonly state: RunTree },
  report: ReportOptions,
): void {
  answer(context, reportLines(run, journal.state, report))
  answer(context, [
    ...keptLines(run),
    ...waitingLines(run, report),
    ...peopleLines(run, report),
    ...inputLines(run, report),
  ])
  if (!report.isFull) return
  const files = artifactLines(run, report)
  if (files.length > 0) answer(context, files)
  answer(context, ['', report.paint.bold('Journal')])
  for (const lines of journalLines(journalEntries(run, journal, report), report)) answer(context, lines)
}

/** Reports that the server no longer keeps the first executions of a long run. */
function keptLines({ kept_from }: RunRecord): readonly string[] {
  if (kept_from === undefined) return []
  const when = momentText(Date.parse(kept_from))
  return ['', `events before ${when} are no longer kept: the retention period of the server has passed`]
}
