import { briefCoversLines } from '../../../core/approval/index.ts'
import { isJsonObject } from '../../../core/json.ts'
import { answerCommands, answerFieldsOf } from '../../../core/people/index.ts'
import { isUnfinished, waitingText } from '../../../core/record/index.ts'
import { shellWord } from '../../../core/text/index.ts'
import { outputsWords } from '../../../project/records/index.ts'
import { printableLine } from '../../../project/text/index.ts'
import type { ItemNames, RunTree } from '../../../view/run/index.ts'
import { policyText } from '../../shared/terminal/policy-text.ts'
import { countText } from '../../shared/terminal/quantity-text.ts'
import { toleratingSteps } from './failure-lines.ts'
import { isBeingCancelled, type ReportedRun, type ReportOptions } from './reported-run.ts'

/** The commands that come next for a run that has not succeeded, after an empty line. */
export function nextLines(
  run: ReportedRun,
  state: RunTree,
  style: Pick<ReportOptions, 'paint' | 'flags' | 'items'>,
): readonly string[] {
  const { paint, flags } = style
  // Each command has its own line, so that a long id does not break it.
  const command = (words: string): string =>
    `  ${paint.bold(`opsbook ${words}${flags === '' ? '' : ` ${flags}`}`)}`
  const lines = linesFor(run, state, style, command)
  return lines.length === 0 ? [] : ['', ...lines]
}

function linesFor(
  run: ReportedRun,
  state: RunTree,
  { paint, items }: Pick<ReportOptions, 'paint' | 'items'>,
  command: Command,
): readonly string[] {
  const { run_id: id } = run
  switch (run.status) {
    case 'interrupted': {
      // A create was in flight when its process ended.
      if (hasUnknown(run)) return decisionLines(run, { paint, items }, command)
      const ended = endedText(run)
      return [
        paint.yellow(ended === undefined ? 'Interrupted.' : `Interrupted: ${ended}.`),
        ended === undefined ? 'To continue:' : 'To continue from there:',
        command(`resume ${id}`),
      ]
    }
    case 'failed':
      // Its clean-up was cancelled in the middle of a create, and begins again with the next resume.
      return hasUnknown(run)
        ? decisionLines(run, { paint, items }, command)
        : failedLines(run, state, command)
    case 'unknown': {
      if (run.unknown_outcomes?.length !== 0) return decisionLines(run, { paint, items }, command)
      const goal = isToEnd(run) ? 'To end the run as cancelled:' : 'To continue the run:'
      return [`Every unknown outcome is resolved. ${goal}`, command(`resume ${id}`)]
    }
    case 'queued': {
      const { place_in_line: place } = run
      const why = place
        ? printableLine(`It ${waitingText(place)}.`)
        : 'It waits for "opsbook serve" to start it.'
      return [`${why} To follow it:`, command(`watch ${id}`)]
    }
    case 'running': {
      const now = isBeingCancelled(run)
        ? 'Calls in flight end, then its clean-up runs.'
        : 'The run continues.'
      return [`${now} To follow it:`, command(`watch ${id}`)]
    }
    case 'waiting':
      return [...questionLines(run, command, items), 'To follow it:', command(`watch ${id}`)]
    case 'paused': {
      const paused = 'Paused: no new calls. To continue it:'
      return [...questionLines(run, command, items), paused, command(`unpause ${id}`)]
    }
    case 'succeeded':
    case 'cancelled':
      return []
  }
}

function hasUnknown({ unknown_outcomes: unknown = [] }: ReportedRun): boolean {
  return unknown.length > 0
}

function failedLines(run: ReportedRun, state: RunTree, command: Command): readonly string[] {
  const { run_id: id } = run
  const step = stepToChooseFor(run)
  if (step !== undefined)
    return [
      `${printableLine(step)} has sent something else before. To execute it again, or to keep its result:`,
      command(`resume ${id} --repeat ${word(step)}`),
      command(`resume ${id} --keep ${word(step)}`),
    ]
  const kept = keepLines(run, state, command)
  if (run.error?.code === 'ApprovalRejected')
    return ['The approval was rejected. To ask again:', command(`resume ${id}`), ...kept]
  // What was undone and counts as done would be missing in the rest.
  const from = fromLines(run, state, command)
  return [
    ...from,
    from.length === 0
      ? 'Completed steps are not repeated. To try the rest again:'
      : 'If nothing was undone, try only the rest again. Completed steps are not repeated:',
    command(`resume ${id}`),
    ...kept,
    ...repeatLines(run, state, command),
  ]
}

/** Starts over from what a `catch` or `finally` may have undone, which a plain resume takes for done. */
function fromLines(run: ReportedRun, { maybeUndone, writes }: RunTree, command: Command): readonly string[] {
  if (maybeUndone === undefined) return []
  const step = maybeUndone.replace(/\[\d+\].*$/, '')
  const from = `resume ${run.run_id} --from ${word(step)}`
  const title = `If catch or finally has undone ${printableLine(step)}, start over from there.`
  // Each write needs a choice. A loop does only those items again that are named.
  const again = writes.slice(Math.max(0, writes.indexOf(maybeUndone)))
  if (again.length > mostRepeats)
    return [`${title} This lists the writes that need --repeat or --keep:`, command(`${from} --dry-run`)]
  const repeats = again.map((path) => ` --repeat ${word(path)}`).join('')
  return [`${title} To keep what is still there, write --keep for --repeat:`, command(from + repeats)]
}

/** How many flags one can still read. */
const mostRepeats = 10

/** Keeps what a `finally` has created, which a plain resume creates again. */
function keepLines(run: ReportedRun, { madeAtEnd }: RunTree, command: Command): readonly string[] {
  if (madeAtEnd.length === 0) return []
  const shown = madeAtEnd.slice(0, mostRepeats)
  const names = shown.map(printableLine).join(', ') + (shown.length < madeAtEnd.length ? ' …' : '')
  return [
    `The clean-up runs at each ending, and makes ${names} again unless you keep what it made:`,
    command(`resume ${run.run_id}${shown.map((path) => ` --keep ${word(path)}`).join('')}`),
  ]
}

/** Repeats tolerated items, which a plain resume does not try again, if an assertion failed. */
function repeatLines(run: ReportedRun, state: RunTree, command: Command): readonly string[] {
  const steps = run.error?.code === 'AssertionFailed' ? toleratingSteps(run, state) : []
  if (steps.length === 0) return []
  const repeats = steps.map(({ path }) => `--repeat ${word(path)}`).join(' ')
  return ['To try the tolerated items again, too:', command(`resume ${run.run_id} ${repeats}`)]
}

/** The step whose write was sent before the run changed, and now has other arguments. */
function stepToChooseFor({ error }: ReportedRun): string | undefined {
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
  return open.flatMap((question) => {
    const { path, message, covers, shown, from, answers } = question
    return [
      `${printableLine(items.label(path))} asks: ${printableLine(message)}`,
      ...(from ? [`  ${printableLine(policyText(from, answers))}`] : []),
      ...(covers ? briefCoversLines(covers).map((line) => `  ${printableLine(line)}`) : []),
      ...answerCommands(answerFieldsOf(question), shown).map(({ verb, more }) =>
        command([verb, run_id, word(path), ...more.map(word)].join(' ')),
      ),
    ]
  })
}

/** How many steps of the runbook have ended, counted as the live view does. Undefined: none. */
function endedText({ steps }: ReportedRun): string | undefined {
  const own = steps.filter(({ path }) => !/[/[]/.test(path))
  const ended = own.filter(({ status }) => !isUnfinished(status)).length
  if (ended === 0) return undefined
  return `${ended} of ${countText(own.length, 'step')} ended, and ${ended === 1 ? 'is' : 'are'} not repeated`
}

/** Whether the run ends as cancelled once its unknown outcomes are resolved. */
function isToEnd({ control_requests = [] }: ReportedRun): boolean {
  return control_requests.some(({ kind, over_at }) => kind.startsWith('cancel') && over_at === undefined)
}

/** How to resolve unknown outcomes. */
function decisionLines(
  run: ReportedRun,
  { paint, items }: Pick<ReportOptions, 'paint' | 'items'>,
  command: Command,
): readonly string[] {
  const { run_id, steps, error, unknown_outcomes: outcomes } = run
  const isEnding = isToEnd(run)
  const unknown = steps.flatMap((step) => (step.status === 'unknown' ? [step.error?.path ?? step.path] : []))
  const paths =
    outcomes?.map(({ path }) => path) ?? (unknown.length > 0 ? unknown : [error?.path ?? 'the run'])
  const distinct = [...new Set(paths)]
  const nameOf = (path: string): string => printableLine(items.label(path))
  const isOne = distinct.length === 1
  return [
    paint.yellow(
      `Needs a decision: whether ${distinct.map(nameOf).join(', ')} ${isOne ? 'was' : 'were'} executed.`,
    ),
    ...(outcomes
      ? ['Nothing is sent again until that is known.']
      : ['Nothing is sent again until that is known. What was sent, and when:', command(`show ${run_id}`)]),
    `Check whether ${isOne ? 'it was' : 'they were'} created. Then record what you found, and the run ${isEnding ? 'ends as cancelled' : 'continues'}:`,
    ...distinct.flatMap((path) => {
      const decide = `decide ${run_id} ${word(path)} --as`
      const answer = outputsWords(outcomes?.find((one) => one.path === path)?.reads)
      return [
        `${isOne ? 'It' : nameOf(path)} was executed${answer.length === 0 ? '' : ', with this answer'}:`,
        command([decide, 'succeeded', ...answer].join(' ')),
        `${isOne ? 'It' : nameOf(path)} was not executed:`,
        command(`${decide} failed`),
        ...(isEnding
          ? []
          : [`Call ${isOne ? 'it' : nameOf(path)} again in any case:`, command(`${decide} retry`)]),
      ]
    }),
  ]
}
