import { type Covers, coversLines } from '../../core/approval/index.ts'
import type { Identity } from '../../core/events.ts'
import {
  type Answer,
  answeredWord,
  answererText,
  countOf,
  identityText,
  neededFor,
  type QuestionRecord,
  saidText,
  settlingAnswer,
} from '../../core/people/index.ts'
import type {
  ControlRequestRecord,
  DecisionRecord,
  ResumeRecord,
  RunRecord,
} from '../../core/record/index.ts'
import { printableLine } from '../../project/text/index.ts'
import { outputValueLines } from '../run/report/output-lines.ts'
import type { ReportOptions } from '../run/report/reported-run.ts'
import { columns } from '../shared/terminal/columns.ts'
import { durationText, momentText } from '../shared/terminal/quantity-text.ts'
import type { JournalEntry } from './journal/entry.ts'

const words: Readonly<Record<ControlRequestRecord['kind'], string>> = {
  cancel: 'cancelled',
  'cancel-now': 'cancelled without clean-up',
  pause: 'paused',
  unpause: 'unpaused',
}

/** How a person has resolved an unknown outcome, in the words of `decide`. Raw text. */
export function resolvedText(
  { path, decision }: Pick<DecisionRecord, 'path' | 'decision'>,
  items: ReportOptions['items'],
): string {
  return `${items.label(path)} resolved ${decision === 'cancelled' ? 'by the end of the run' : `as ${decision}`}`
}

/** What users did with the run, one line each, in order of time. */
export function peopleLines(run: RunRecord, { paint, mask, items }: ReportOptions): readonly string[] {
  const deeds: readonly Deed[] = [
    ...run.control_requests.map((controlRequest) => ({
      ...controlRequest,
      what: words[controlRequest.kind] + waitingText(controlRequest),
    })),
    ...run.questions.flatMap((question) =>
      question.answers.map((answer) => ({
        ...answer,
        what: `${items.label(question.path)} ${answeredWord(answer)}${countText(question, answer)}`,
        name: answererText(answer.by),
        comment: saidText(answer),
      })),
    ),
    ...run.decisions.map((one) => ({
      ...one,
      what: resolvedText(one, items),
    })),
    ...run.resumes
      .filter((resume) => !isForCancelling(resume, run))
      .map((resume) => ({ ...resume, what: 'resumed' })),
  ]
  if (deeds.length === 0) return []
  const rows = deeds
    .toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at))
    .map(({ what, by, at, comment, name = identityText(by) }) => [
      printableLine(what),
      momentText(Date.parse(at)),
      `by ${printableLine(name)}${comment === undefined ? '' : `: ${printableLine(comment)}`}`,
    ])
  return ['', paint.bold('People'), ...columns(rows).map((line) => mask.text(`  ${line}`))]
}

/** Whether a resume only executed the cancellation of a run that had no process. */
export function isForCancelling(
  { at }: ResumeRecord,
  { control_requests }: Pick<RunRecord, 'control_requests'>,
): boolean {
  return control_requests.some(
    (controlRequest) => controlRequest.kind === 'cancel' && controlRequest.at === at,
  )
}

interface Deed {
  readonly what: string
  readonly by: Identity
  readonly at: string
  readonly comment?: string | undefined
  /** Left out: the name of `by`. */
  readonly name?: string
}

function waitingText({ taken_at, over_at }: ControlRequestRecord): string {
  return taken_at === undefined && over_at === undefined ? ', not picked up yet' : ''
}

/** A resume, and its changes. */
export function resumeEntry(resume: ResumeRecord, options: ReportOptions): JournalEntry {
  const { number, by, at, changes, plan_hash_before, inputs_before } = resume
  const { paint } = options
  return {
    atMs: Date.parse(at),
    words: [`resumed by ${identityText(by)}, resume ${number}`],
    details: [
      ...(changes === undefined ? [] : [paint.dim('asked for'), ...outputValueLines(changes, options)]),
      ...(plan_hash_before === undefined ? [] : [`${paint.dim('the plan before')} ${plan_hash_before}`]),
      ...(inputs_before === undefined
        ? []
        : [paint.dim('the inputs before'), ...outputValueLines(inputs_before, options)]),
    ],
  }
}

const decisions: Readonly<Record<DecisionRecord['decision'], string>> = {
  succeeded: 'it was executed',
  failed: 'it was not executed',
  retry: 'to be called again',
  cancelled: 'the run is cancelled, and the outcome stays unknown',
}

/** A decision about a call with an unknown outcome. */
export function decisionEntry({ path, decision, by, comment, at, error }: DecisionRecord): JournalEntry {
  const why = comment === undefined ? '' : `: ${comment}`
  const before = error === undefined ? [] : [`before: ${error.code}`]
  return {
    atMs: Date.parse(at),
    path,
    words: [`${identityText(by)} decided: ${decisions[decision]}${why}`, ...before],
  }
}

const controlRequests: Readonly<Record<ControlRequestRecord['kind'], string>> = {
  cancel: 'requested cancellation',
  'cancel-now': 'requested cancellation without clean-up',
  pause: 'requested a pause',
  unpause: 'requested to continue',
}

/** A control request, and when a process picked it up. */
export function controlRequestEntry({ kind, by, comment, at, taken_at }: ControlRequestRecord): JournalEntry {
  const why = comment === undefined ? '' : `: ${comment}`
  const atMs = Date.parse(at)
  const taken =
    taken_at === undefined
      ? 'not picked up by any process'
      : `picked up after ${durationText(Date.parse(taken_at) - atMs)}`
  return { atMs, words: [`${identityText(by)} ${controlRequests[kind]}${why}`, taken] }
}

/** All calls that a yes covers. A line keeps its indentation. */
function coversDetails(covers: Covers, { mask }: ReportOptions): readonly string[] {
  return coversLines(covers).map((line) => mask.text(printableLine(line)))
}

/** A question and its answer. */
export function questionEntries(question: QuestionRecord, options: ReportOptions): readonly JournalEntry[] {
  const { path, message, asked_at, until, status, is_superseded, covers } = question
  const askedMs = Date.parse(asked_at)
  const given = until === undefined ? '' : `, within ${durationText(Date.parse(until) - askedMs)}`
  const open: Readonly<Record<string, string>> = {
    expired: 'not answered in time',
    withdrawn: 'withdrawn',
    open: 'not answered yet',
  }
  const asked: JournalEntry = {
    atMs: askedMs,
    sign: 'waiting',
    path,
    words: [
      `asks${given}: ${message}`,
      ...(settlingAnswer(question) ? [] : [openText(question, open[status] ?? status)]),
      ...(is_superseded ? ['asked again later'] : []),
    ],
    ...(covers ? { details: coversDetails(covers, options) } : {}),
  }
  return [asked, ...question.answers.map((one) => answerEntry(question, one, askedMs))]
}

/** Where one of several people has answered, how many are missing. */
function openText({ answers, from }: QuestionRecord, text: string): string {
  return answers.length === 0 ? text : `${text}: ${countOf(answers)} of ${neededFor({ from })}`
}

function answerEntry(question: QuestionRecord, answer: Answer, askedMs: number): JournalEntry {
  const { approved, by, at } = answer
  const atMs = Date.parse(at)
  const said = saidText(answer)
  const verdict = `${answeredWord(answer)}${countText(question, answer)} by ${answererText(by)}`
  const words = [`${verdict} after ${durationText(atMs - askedMs)}${said === undefined ? '' : `: ${said}`}`]
  return { atMs, sign: approved ? 'succeeded' : 'failed', path: question.path, words }
}

/** ` 1 of 2`: how many people had given this answer by then. Empty where one is enough, and for a no. */
function countText(question: QuestionRecord, answer: Answer): string {
  const needed = neededFor(question)
  const until = question.answers.slice(0, question.answers.indexOf(answer) + 1)
  return needed === 1 || !answer.approved ? '' : ` ${countOf(until)} of ${needed}`
}
