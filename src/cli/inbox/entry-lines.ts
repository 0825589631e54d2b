import { commandsFor, type NamedRun, type WaitingEntry } from '../../acts/reads/inbox/index.ts'
import { briefCoversLines } from '../../core/approval/index.ts'
import { choicesText, type QuestionRecord } from '../../core/people/index.ts'
import type { Paint } from '../../project/index.ts'
import { printableLine } from '../../project/text/index.ts'
import { policyText } from '../shared/terminal/policy-text.ts'
import { countdownText, countText, durationText, momentText } from '../shared/terminal/quantity-text.ts'

/** How entries are printed. */
export interface EntryView {
  readonly paint: Paint
  /** Unix time in milliseconds. */
  readonly now: number
  /** The flags that find the runs again. */
  readonly flags: string
}

/** An entry: where it is and until when, what is asked of whom, and the commands that answer it. */
export function entryLines(entry: WaitingEntry, named: NamedRun, view: EntryView): readonly string[] {
  const { paint, flags } = view
  const { runbook, run_id } = entry.run
  const head = [paint.bold(printableLine(runbook)), run_id, timeText(entry, view)].join('  ')
  const body = entry.kind === 'question' ? questionLines(entry, named) : callLines(entry, named)
  const commands = commandsFor(entry, named, flags).map((command) => `  ${paint.bold(command)}`)
  return [head, ...[...body, ...statusLines(entry)].map((line) => `  ${named.mask.text(line)}`), ...commands]
}

function timeText(entry: WaitingEntry, { paint, now }: EntryView): string {
  if (entry.kind === 'unknown_outcome')
    return paint.yellow(`unknown for ${durationText(now - entry.sinceMs)}`)
  const { untilMs, group } = entry
  const askedMs = Date.parse(group.questions[0]?.asked_at ?? entry.run.started_at)
  if (untilMs === undefined) return paint.dim(`asked ${durationText(now - askedMs)} ago, no deadline`)
  if (untilMs <= now) return paint.red('its time is over')
  return paint.yellow(`${countdownText(untilMs - now)} left, until ${momentText(untilMs)}`)
}

/** The items of a question that are named; of more, the number is. */
const mostNamed = 5

function questionLines(
  { group }: Extract<WaitingEntry, { kind: 'question' }>,
  { items }: NamedRun,
): readonly string[] {
  const { questions, step } = group
  const [first, ...others] = questions
  if (first === undefined) return []
  const covered = (first.covers ? briefCoversLines(first.covers) : []).map(printableLine)
  const form = [...policyLines(questions), ...choiceLines(first)]
  if (others.length === 0)
    return [`${label(first.path, items)} asks: ${printableLine(first.message)}`, ...form, ...covered]
  const names = questions
    .slice(0, mostNamed)
    .map(({ path }) => printableLine(items.facts(path)?.item ?? path))
  const left = questions.length - names.length
  const isSame = others.every(({ message }) => message === first.message)
  return [
    `${printableLine(step)} asks for ${countText(questions.length, 'item')}: ${printableLine(first.message)}`,
    ...(isSame ? [] : ['The messages differ; this is the first. --output json holds all of them.']),
    `items: ${names.join(', ')}${left > 0 ? `, and ${left} more` : ''}`,
    ...form,
    ...(covered.length === 0 ? [] : ['For the first of them, --output json has all:', ...covered]),
  ]
}

/** Who may answer, and how many have. */
function policyLines(questions: readonly QuestionRecord[]): readonly string[] {
  const [{ from } = {}] = questions
  if (from === undefined) return []
  return [printableLine(policyText(from, ...questions.map(({ answers }) => answers)))]
}

/** The values that fields can have. */
function choiceLines({ choices = {} }: QuestionRecord): readonly string[] {
  return Object.entries(choices).map(([field, values]) => printableLine(`${field}: ${choicesText(values)}`))
}

function callLines(
  { call }: Extract<WaitingEntry, { kind: 'unknown_outcome' }>,
  { items }: NamedRun,
): readonly string[] {
  const { path, action, attempt, error } = call
  const why = error === undefined ? 'its process ended before an answer was recorded' : error.message
  return [
    `${label(path, items)}: was ${action} executed? (attempt ${attempt})`,
    printableLine(why),
    'Check before you decide: "show" says what was sent, when, and how to find out.',
  ]
}

/** What else keeps a run from continuing after the answer. */
function statusLines({ kind, run }: WaitingEntry): readonly string[] {
  if (kind === 'question' && run.status === 'interrupted')
    return [`No process executes the run: after the answer, "opsbook resume ${run.run_id}" continues it.`]
  if (run.status === 'paused')
    return [`The run is paused: after the answer, "opsbook unpause ${run.run_id}" continues it.`]
  return []
}

function label(path: string, items: NamedRun['items']): string {
  return printableLine(items.label(path))
}
