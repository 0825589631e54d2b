import { cut } from '../../terminal/columns.ts'
import { wrap } from '../../terminal/wrap.ts'
import { currentWaits } from './at-work.ts'
import { failureText } from './failure-text.ts'
import { indentWidth, type LineStyle } from './step-line.ts'
import type { StepView, Wait } from './step-view.ts'
import { waitText } from './wait-text.ts'

/** Of one step no more waiting calls than this are named. */
const namedWaits = 2
/** A question to a person takes no more lines than this. */
const questionLines = 3

/** What is to be said of a step under its line: the last failure in a loop, and what it waits for. */
export function factLines(step: StepView, style: LineStyle, depth: number): readonly string[] {
  if (step.status !== 'running') return []
  const { paint, symbols, clean, columns, now } = style
  const indent = ' '.repeat(depth * indentWidth + 4)
  const line = (text: string): string => cut(text, columns - indent.length)
  const failure = step.progress?.unit === 'items' ? step.lastFailure : undefined
  const failed =
    failure === undefined ? [] : [`${symbols.failed} ${clean(failureText(failure, step.path, style.items))}`]
  const waits = currentWaits(step, now)
  const named = waits
    .slice(0, namedWaits)
    .flatMap(([path, wait]) => waitLines(step, path, wait, columns - indent.length, style))
  const more = waits.length - namedWaits
  const others = more > 0 ? [`${symbols.waiting} and ${more} more wait`] : []
  return [
    ...failed.map((text) => indent + paint.red(line(text))),
    ...[...named, ...others].map((text) => indent + paint.yellow(line(text))),
  ]
}

/** What one call waits for; a question in full as far as it is not too long. */
function waitLines(
  step: StepView,
  path: string,
  { message, ...wait }: Wait,
  width: number,
  { symbols, clean, now }: LineStyle,
): readonly string[] {
  const which = path === step.path ? '' : `${callName(path.slice(step.path.length))} `
  const head = `${symbols.waiting} ${clean(which + waitText(wait, now))}`
  if (message === undefined) return [head]
  const asked = wrap(clean(message), Math.max(8, width - 4))
  const shown = asked.slice(0, questionLines)
  return [
    head,
    ...shown.map((text, row) => (row === questionLines - 1 && asked[row + 1] ? `  ${text} …` : `  ${text}`)),
  ]
}

/** `/poll-2/group-3` in words: `poll 2, group 3`. */
function callName(part: string): string {
  return part
    .split('/')
    .filter((piece) => piece !== '')
    .map((piece) => piece.replace('-', ' '))
    .join(', ')
}
