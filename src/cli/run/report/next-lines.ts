import { isJsonObject } from '../../../core/json.ts'
import { shellWord } from '../../../core/shell-word.ts'
import { countText } from '../../terminal/count-text.ts'
import { printableLine } from '../../terminal/printable.ts'
import type { ItemNames } from '../follow/item-names.ts'
import type { RunState } from '../follow/run-state.ts'
import type { ReportOptions } from './report-lines.ts'
import type { ReportedRun } from './reported-run.ts'
import { isBeingCancelled } from './verdicts.ts'
import { toleratingSteps } from './warning-lines.ts'

/** How to go on with a run that has not ended well. */
export function nextLines(
  run: ReportedRun,
  state: RunState,
  { paint, flags, undecided, undecidedPaths, items }: ReportOptions,
): readonly string[] {
  // On lines of their own: long ids would make lines that break in the middle of the command.
  const command = (words: string): string =>
    `  ${paint.bold(`opsbook ${words}${flags === '' ? '' : ` ${flags}`}`)}`
  switch (run.status) {
    case 'interrupted':
      return [
        '',
        paint.yellow(`Interrupted: ${endedText(run)}, and what they did stays done.`),
        'To go on from there:',
        command(`resume ${run.run_id}`),
      ]
    case 'failed': {
      const step = stepThatNeedsWord(run)
      if (step !== undefined) {
        return [
          '',
          `What is to become of what ${printableLine(step)} did? To do it again, or to go on with what it did:`,
          command(`resume ${run.run_id} --repeat ${word(step)}`),
          command(`resume ${run.run_id} --keep ${word(step)}`),
        ]
      }
      if (run.error?.code === 'ApprovalRejected') {
        return ['', 'It was rejected. To ask again, once that is settled:', command(`resume ${run.run_id}`)]
      }
      return [
        '',
        'What has ended well stays done. To try the rest again:',
        command(`resume ${run.run_id}`),
        ...repeatLines(run, state, command),
      ]
    }
    case 'unknown':
      if (undecidedPaths?.length === 0)
        return ['', 'All that was in doubt is decided. To go on:', command(`resume ${run.run_id}`)]
      return ['', ...decisionLines(run, { paint, items, undecidedPaths }, command, undecided !== undefined)]
    case 'queued':
      return ['', 'It waits for "opsbook serve" to begin it. To look on:', command(`watch ${run.run_id}`)]
    case 'running':
      return [
        '',
        isBeingCancelled(run)
          ? 'What is in flight ends, then its clean-up. To look on:'
          : 'It goes on. To look on:',
        command(`watch ${run.run_id}`),
      ]
    case 'waiting':
      return ['', ...questionLines(run, command, items), 'To look on:', command(`watch ${run.run_id}`)]
    case 'paused':
      return [
        '',
        ...questionLines(run, command, items),
        'Paused: nothing new is called. To let it go on:',
        command(`unpause ${run.run_id}`),
      ]
    case 'succeeded':
    case 'cancelled':
      return []
  }
}

/** What an assertion found wrong can be items that were tolerated: a resume alone does not try them again. */
function repeatLines(run: ReportedRun, state: RunState, command: Command): readonly string[] {
  const steps = run.error?.code === 'AssertionFailed' ? toleratingSteps(run, state) : []
  if (steps.length === 0) return []
  const repeats = steps.map(({ path }) => `--repeat ${word(path)}`).join(' ')
  return ['With the items that failed and were tolerated:', command(`resume ${run.run_id} ${repeats}`)]
}

/** A write was done before the run was amended, and asks for something else now. */
function stepThatNeedsWord({ error }: ReportedRun): string | undefined {
  if (error?.code !== 'PlanDrift' || !isJsonObject(error.details)) return undefined
  const { step } = error.details
  return typeof step === 'string' ? step : undefined
}

type Command = (words: string) => string

function word(path: string): string {
  return shellWord(printableLine(path))
}

function questionLines(
  { run_id, questions = [] }: ReportedRun,
  command: Command,
  items: ItemNames,
): readonly string[] {
  const open = questions.filter(({ status }) => status === 'open')
  return open.flatMap(({ path, message }) => [
    `${printableLine(items.label(path))} asks: ${printableLine(message)}`,
    command(`approve ${run_id} ${word(path)}`),
    command(`reject ${run_id} ${word(path)}`),
  ])
}

/** Of the steps outside of loops, whose items are a matter of their own. */
function endedText({ steps }: ReportedRun): string {
  const own = steps.filter(({ path }) => !path.includes('['))
  const ended = own.filter(({ status }) => !open.has(status))
  return `${ended.length} of ${countText(own.length, 'step')} ended`
}

const open: ReadonlySet<string> = new Set(['pending', 'running', 'interrupted'])

/** Nobody but a person can find out what a create has done. `isTold`: what was sent stands above already. */
function decisionLines(
  { run_id, steps, error }: ReportedRun,
  { paint, items, undecidedPaths }: Pick<ReportOptions, 'paint' | 'items' | 'undecidedPaths'>,
  command: Command,
  isTold: boolean,
): readonly string[] {
  const unknown = steps.flatMap((step) => (step.status === 'unknown' ? [step.error?.path ?? step.path] : []))
  const paths = undecidedPaths ?? (unknown.length > 0 ? unknown : [error?.path ?? 'the run'])
  const places = [...new Set(paths)]
  return [
    paint.yellow(
      `Needs a decision: whether ${printableLine(places.map((path) => items.label(path)).join(', '))} was carried out.`,
    ),
    ...(isTold
      ? ['Nothing is sent a second time until that is known.']
      : [
          'Nothing is sent a second time until that is known. What was sent, and when:',
          command(`show ${run_id}`),
        ]),
    'Look for what it makes. Then say what you found, and the run goes on:',
    ...places.flatMap((path) => {
      const decide = `decide ${run_id} ${word(path)} --as`
      return [
        'It was carried out, and would have answered:',
        command(`${decide} succeeded --outputs '{…}'`),
        'It was not:',
        command(`${decide} failed`),
        'Call it again, whatever became of it:',
        command(`${decide} retry`),
      ]
    }),
  ]
}
