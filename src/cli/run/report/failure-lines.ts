import { mostKeptBody } from '../../../actions/index.ts'
import { errorRule } from '../../../core/errors.ts'
import type { FailedItems, FailureKind, Warning } from '../../../core/events.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../core/json.ts'
import { withoutPositions } from '../../../core/plan/index.ts'
import { failuresIn, itemPathsOf, type StepRecord } from '../../../core/record/index.ts'
import type { ErrorData } from '../../../core/run-error.ts'
import type { Paint } from '../../../project/index.ts'
import { printableLine } from '../../../project/text/index.ts'
import type { ItemNames, RunTree, StepView } from '../../../view/run/index.ts'
import { wrap } from '../../shared/terminal/columns.ts'
import { countText } from '../../shared/terminal/quantity-text.ts'
import { failedText } from '../follow/event-text.ts'
import type { Style } from '../follow/step-sign.ts'
import type { ReportedRun } from './reported-run.ts'

/** The failures of a run: path, code, message, request id, and what to do next. */
export function failureLines(run: ReportedRun, state: RunTree, { paint }: Style): readonly string[] {
  if (run.status === 'succeeded') return []
  const failures = [...failedSteps(run), ...failureOfRun(run)]
  return distinct(failures).flatMap((failure) => {
    // A cancellation was requested, so it is not a failure.
    const isWanted = run.status === 'cancelled' && failure.error.code === 'Cancelled'
    if (isWanted) return []
    const next = failure.error.code === 'ApprovalRejected' ? '' : errorRule(failure.error.code).next
    return [
      ...errorBlock(failure, state, paint),
      ...(next === '' ? [] : [`  ${paint.dim('next')}        ${next}`]),
    ]
  })
}

interface Failure {
  readonly path: string
  readonly error: ErrorData
}

/** Steps whose failure was not tolerated; a block names the inner step that failed. */
function failedSteps({ steps }: ReportedRun): readonly Failure[] {
  return steps.flatMap(({ path, error, is_warning, status }) =>
    // A loop lists the items that made it fail.
    error === undefined || is_warning || status === 'cancelled' || path.includes('[')
      ? []
      : [{ path: error.path ?? path, error }],
  )
}

/** A failure of the run itself, such as its timeout or its outputs. */
function failureOfRun({ error }: ReportedRun): readonly Failure[] {
  return error === undefined || error.code === 'Interrupted' ? [] : [{ path: error.path ?? 'run', error }]
}

function distinct(failures: readonly Failure[]): readonly Failure[] {
  const seen = new Map<string, Failure>()
  for (const failure of failures) {
    const { code, message } = failure.error
    const key = JSON.stringify([failure.path, code, message])
    if (!seen.has(key)) seen.set(key, failure)
  }
  return [...seen.values()]
}

function errorBlock({ path, error }: Failure, state: RunTree, paint: Paint): readonly string[] {
  const { code, message, requestId } = error
  const step = state.stepOf(path)
  const failed = step?.path === path ? step.failed : undefined
  return [
    '',
    `${paint.red(`${printableLine(state.items.label(path))}: ${printableLine(code)}`)}  ${printableLine(message)}`,
    ...failedItemLines(failed, state.items).map((line) => `  ${line}`),
    ...(requestId === undefined ? [] : [`  ${paint.dim('request id')}  ${printableLine(requestId)}`]),
    ...answerLines(error, paint).map((line) => `  ${line}`),
    ...causeLines(error, state, paint),
  ]
}

/** What the failed items of a step say, one line for each kind. */
export function failedItemLines(failed: FailedItems | undefined, items: ItemNames): readonly string[] {
  const { texts, more } = failedItems(failed, items)
  return [...texts.map(printableLine), ...(more > 0 ? [`and ${countText(more, 'more item')}`] : [])]
}

/** The failures that were being handled when this one happened, newest first. */
function causeLines({ cause }: ErrorData, state: RunTree, paint: Paint): readonly string[] {
  if (!cause) return []
  const { path = 'run', requestId } = cause
  return [
    `  ${paint.dim('caught')}      ${printableLine(`${state.items.label(path)}: ${cause.code}  ${cause.message}`)}`,
    ...(requestId === undefined ? [] : [`  ${paint.dim('request id')}  ${printableLine(requestId)}`]),
    ...answerLines(cause, paint).map((line) => `  ${line}`),
    ...causeLines(cause, state, paint),
  ]
}

/** What a failed call answered, and which command has `all` of it: of an HTTP request, useful headers and the start of the body; of a command, the ends of its stdout and stderr. */
export function answerLines(
  { details }: ErrorData,
  paint: Paint,
  all: string = 'show --full --output json',
): readonly string[] {
  const answer = answerIn(details)
  if (!answer) return []
  const { method, path, headers, body, body_bytes: bytes, stderr, stdout } = answer
  const head = isJsonObject(headers)
    ? Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}`)
    : []
  const line = (label: string, text: string): string => `${paint.dim(label)}${printableLine(text)}`
  if (stderr !== undefined || stdout !== undefined)
    return Object.entries({ stdout, stderr }).flatMap(([name, written]) =>
      written === undefined ? [] : lastLines(String(written), all).map((text) => line(name.padEnd(12), text)),
    )
  return [
    line('request     ', `${String(method)} ${String(path)}`),
    ...(head.length === 0 ? [] : [line('headers     ', head.join('; '))]),
    ...(body === undefined ? [] : [line('body        ', `${String(body)}${cutText(body, bytes)}`)]),
  ]
}

/** Lines of each stream of a command that are shown. */
const shownLines = 10

/** The end of a text, and how many lines are before it. The error of a step has lost the first of many. */
function lastLines(text: string, all: string): readonly string[] {
  const lines = text.split('\n')
  const hidden = lines.length - shownLines
  const before = hidden > 0 ? [`… at least ${countText(hidden, 'line')} before: "${all}" has them`] : []
  return [...before, ...lines.slice(-shownLines)]
}

/** The answer in the details of an error; for an unknown outcome, that of the last request. */
function answerIn(details: JsonValue | undefined): JsonObject | undefined {
  if (!isJsonObject(details)) return undefined
  if (('method' in details && 'path' in details) || 'stderr' in details || 'stdout' in details) return details
  const { errors } = details
  const last = Array.isArray(errors) ? errors.at(-1) : undefined
  return isJsonObject(last) ? answerIn(last['details']) : undefined
}

function cutText(body: JsonValue, bytes: JsonValue | undefined): string {
  const isCut = String(body).length >= mostKeptBody && typeof bytes === 'number'
  return isCut ? `… (${bytes} bytes in total)` : ''
}

/** Most warnings of each kind that are listed. */
const named = 10

/**
 * Warnings about a run: failures that were tolerated or caught, and warnings in answers.
 */
export function warningLines(
  run: ReportedRun,
  state: RunTree,
  { paint, width }: Style & { readonly width?: number | undefined },
): readonly string[] {
  const { items } = state
  const warnings = run.warnings ?? []
  const passed = warnings.flatMap((error) => (error.failed_items ? [] : failedText(error, '', items)))
  const warned = state.warnings.map(({ path, message }) => `${items.label(path)}: ${message}`)
  const caught = state.caught.first.map((error) => failedText(error, '', items))
  const tolerated = toleratedIn(run).flatMap((warning) => toleratedText(warning, items))
  const besides = stepsOf(run, state, 'unknown').map(({ failed, path }) => failedItems(failed, items, [path]))
  const count = besides.reduce((sum, { texts, more }) => sum + texts.length + more, 0)
  const all = [
    ...labelled('failed, and the run continued', passed, passed.length + (run.warnings_left_out ?? 0)),
    ...labelled('warning', warned, warned.length),
    ...labelled('caught', caught, state.caught.count),
    ...labelled('tolerated', tolerated, tolerated.length),
    ...labelled(
      'failed',
      besides.flatMap(({ texts }) => texts),
      count,
    ),
  ]
  if (all.length === 0) return []
  // A terminal would break the line inside a word.
  const wrapped = ({ label, text }: Line): string => {
    const line = `${label}: ${printableLine(text)}`
    const [first = '', ...rest] = width === undefined ? [line] : wrap(line, width)
    return [paint.yellow(first.slice(0, label.length + 1)) + first.slice(label.length + 1), ...rest].join(
      '\n',
    )
  }
  return ['', ...all.map(wrapped)]
}

interface Line {
  readonly label: string
  readonly text: string
}

function labelled(label: string, texts: readonly string[], count: number): readonly Line[] {
  const first = texts.slice(0, named)
  const more = count > first.length ? [{ label, text: `${count - first.length} more` }] : []
  return [...first.map((text) => ({ label, text })), ...more]
}

/** What the run tolerates. An open run has no warnings yet: they follow from its steps. */
function toleratedIn({ status, warnings, steps }: ReportedRun): readonly Warning[] {
  if (warnings !== undefined || status === 'succeeded') return warnings ?? []
  return failuresIn(
    steps.map(({ path, status: ended, failed_items: failed }) => [
      path,
      ended === 'succeeded' ? failed : undefined,
    ]),
  )
}

function toleratedText({ failed_items: failed, ...of }: Warning, items: ItemNames): readonly string[] {
  return failed === undefined ? [] : [alikeText({ ...of, ...failed, item: failed.name }, items)]
}

/** Items that failed alike: where, how many if there are several, and what the first of them says. */
function alikeText(
  {
    code,
    message,
    item,
    count,
    paths: [path = '', ...others] = [],
  }: Omit<FailureKind, 'index' | 'item'> & { readonly item?: string | undefined },
  items: ItemNames,
): string {
  const isInLoop = path.includes('[')
  const of = item === undefined ? '' : `${item}: `
  const at = path === '' ? '' : `${count > 1 ? withoutPositions(path) : items.label(path)}: `
  const places = [path, ...others].map((place) => items.label(itemPathsOf(place).at(-1) ?? place))
  const where = `${places.join(', ')}${count > places.length ? ', …' : ''}`
  return `${at}${of}${code}${count > 1 ? ` (${count})` : ''}${count > 1 && isInLoop ? ` in ${where}` : ''}: ${message}`
}

/** The steps outside loops that succeeded although some of their items failed. */
export function toleratingSteps({ steps }: Pick<ReportedRun, 'steps'>, state: RunTree): readonly StepView[] {
  return stepsOf({ steps }, state, 'succeeded')
}

/** The steps outside loops with this status and with failed items. */
function stepsOf(
  { steps }: Pick<ReportedRun, 'steps'>,
  state: RunTree,
  wanted: StepRecord['status'],
): readonly StepView[] {
  const ended = steps.filter(({ status, path }) => status === wanted && !path.includes('['))
  return ended.flatMap(({ path }) => {
    const step = state.stepOf(path)
    return step?.path === path && step.failed !== undefined ? [step] : []
  })
}

/**
 * The failed items of a step, by what they say; `more`: how many are of none of these kinds. `paths`: those of the step,
 * where nothing else names it.
 */
function failedItems(
  failed: FailedItems | undefined,
  items: ItemNames,
  paths: readonly string[] = [],
): { readonly texts: readonly string[]; readonly more: number } {
  const { kinds = [], failed: count = 0 } = failed ?? {}
  const texts = kinds.map(({ index, ...kind }) =>
    alikeText(
      kind.paths === undefined ? { ...kind, item: kind.item ?? `item ${index}`, paths } : kind,
      items,
    ),
  )
  return { texts, more: texts.length === 0 ? 0 : count - kinds.reduce((sum, one) => sum + one.count, 0) }
}
