import { formatDuration } from '../../../core/duration.ts'
import { printableLine } from '../../terminal/printable.ts'
import type {
  CallsDocument,
  CatchDocument,
  RunbookDocument,
  StepDocument,
  UsesDocument,
} from '../document.ts'
import { pairRows, type Row, rowLines, type Style } from './rows.ts'
import { callsWords, countWords, leastTimeWords, noun, openWords, riskWords, valueWords } from './words.ts'

/** A step with everything inside it. */
function stepLines(step: StepDocument, indent: number, style: Style): readonly string[] {
  const rows = step.runs === 'no' ? conditionRows(step, style) : factRows(step, style)
  const inside = step.runs === 'no' ? [] : insideLines(step, indent + 4, style)
  return [headLine(step, indent, style), ...rowLines(rows, indent + 4, style), ...inside, '']
}

function headLine({ id, name, runs }: StepDocument, indent: number, { paint, signs }: Style): string {
  const title = name === undefined ? '' : `  ${printableLine(name)}`
  const head = `${' '.repeat(indent)}${signs[runs]} `
  return runs === 'no' ? paint.dim(`${head}${id}${title}`) : `${head}${paint.bold(id)}${title}`
}

function factRows(step: StepDocument, style: Style): readonly Row[] {
  const { uses, timeout_ms: timeout } = step
  return [
    ...actionRows(step, style),
    ...conditionRows(step, style),
    ...loopRows(step),
    ...(uses === undefined ? [] : usesRows(uses)),
    ...(timeout === undefined ? [] : [{ label: 'time', text: `${formatDuration(timeout)} at most` }]),
    ...(step.continue_on_error ? [{ label: 'failure', text: 'is a warning; the run goes on' }] : []),
  ]
}

function actionRows(step: StepDocument, { dot }: Style): readonly Row[] {
  const { uses, kind, steps, max_parallel: most } = step
  const line = (parts: readonly string[]): string => parts.filter((part) => part !== '').join(` ${dot} `)
  const measures = [callsWords(step), leastTimeWords(step.shortest_ms)]
  if (kind === 'block') {
    return [{ label: 'block', text: line([noun(steps.length, 'step'), ...measures]), isWhole: true }]
  }
  if (uses === undefined) {
    const atOnce = most === undefined ? '' : `${most} at a time`
    const text = line([`${steps.length} branches`, atOnce, ...measures])
    return [{ label: 'parallel', text, isWhole: true }]
  }
  const isSilent = uses.connection === undefined || uses.risk === 'local'
  const over = isSilent ? '' : `over ${uses.connection}`
  const text = line([uses.action, over, ...measures])
  const color = uses.risk === 'create' ? ({ color: 'yellow' } as const) : {}
  return [{ label: ownLabels[uses.action] ?? shortRisk[uses.risk], text, isWhole: true, ...color }]
}

/** The column of labels has no room for more; the totals say it in full. */
const shortRisk: Readonly<Record<UsesDocument['risk'], string>> = { ...riskWords, idempotent: 'writes' }

const ownLabels: Readonly<Record<string, string>> = {
  'core/approve': 'asks',
  'core/run': 'runs',
  'core/wait': 'waits',
}

function conditionRows({ condition }: StepDocument, { arrow }: Style): readonly Row[] {
  if (condition === undefined) return []
  const { source, state, needs } = condition
  const verdicts = {
    true: 'true: it runs',
    false: 'false: it is skipped',
    failed: 'cannot be evaluated with these inputs',
    open: `decided ${openWords(needs).replace(/^needs/, 'when it is given:')}`,
  } as const
  return [
    { label: 'if', text: source, isWhole: true },
    { label: '', text: `${arrow} ${verdicts[state]}`, isWhole: true },
  ]
}

function loopRows({ for_each: loop }: StepDocument): readonly Row[] {
  if (loop === undefined) return []
  const atOnce = loop.max_parallel === 1 ? 'one after another' : `${loop.max_parallel} at a time`
  const text =
    loop.count === null
      ? `${loop.as}, ${atOnce}; how many: ${valueWords(loop.items)}`
      : `${loop.as} of ${noun(loop.count, 'item')}, ${atOnce}${eachWords(loop.calls_per_item)}`
  const tolerated = loop.tolerate === 0 ? [] : [{ label: '', text: `${loop.tolerate} of them may fail` }]
  return [{ label: 'for each', text, isWhole: true }, ...tolerated]
}

function eachWords(calls: CallsDocument): string {
  return calls.most === 0 ? '' : `, ${countWords(calls)} each`
}

function usesRows(uses: UsesDocument): readonly Row[] {
  const { repeat, save_as: saveAs } = uses
  const pairs = uses.arguments.map((argument) => [argument.name || '(all)', valueWords(argument)] as const)
  return [
    ...pairRows('with', pairs),
    ...(saveAs === undefined ? [] : [{ label: 'file', text: valueWords(saveAs) }]),
    ...(repeat === undefined
      ? []
      : [
          { label: 'until', text: repeat.until, isWhole: true },
          {
            label: '',
            text: `every ${formatDuration(repeat.interval_ms)}, for ${formatDuration(repeat.max_wait_ms)} at most`,
          },
        ]),
    ...uses.expect.map((source, index) => ({
      label: index === 0 ? 'expects' : '',
      text: source,
      isWhole: true,
    })),
    ...(uses.tolerate === 0 ? [] : [{ label: 'tolerates', text: `${uses.tolerate} of the items failing` }]),
    ...attemptRows(uses),
  ]
}

function attemptRows({ risk, retry, attempt_timeout_ms: attempt }: UsesDocument): readonly Row[] {
  if (risk === 'local') return []
  const codes = retry.errors === undefined ? '' : `, on ${retry.errors.join(', ')}`
  const except = retry.except === undefined ? '' : `, never on ${retry.except.join(', ')}`
  const only = risk === 'create' ? ', repeated only if nothing was created' : ''
  const most = attempt === undefined ? '' : `, at most ${formatDuration(attempt)}`
  const text =
    retry.attempts === 1 ? `one${most}` : `up to ${retry.attempts}${most} each${codes}${except}${only}`
  return [{ label: 'attempts', text, isWhole: true }]
}

function insideLines(step: StepDocument, indent: number, style: Style): readonly string[] {
  const child = step.uses?.child
  const parts = [
    ...(child === undefined ? [] : ['', ...runbookLines(child, indent, style)]),
    ...(step.steps.length === 0 ? [] : ['', ...listLines(step.steps, indent, style)]),
    ...catchLines(step.catch, indent, style),
    ...finallyLines(step.finally, indent, style),
  ]
  return parts.at(-1) === '' ? parts.slice(0, -1) : parts
}

/** A whole runbook. */
export function runbookLines(runbook: RunbookDocument, indent: number, style: Style): readonly string[] {
  return [
    ...listLines(runbook.steps, indent, style),
    ...catchLines(runbook.catch, indent, style),
    ...finallyLines(runbook.finally, indent, style),
  ]
}

/** Steps one under another. */
function listLines(steps: readonly StepDocument[], indent: number, style: Style): readonly string[] {
  return steps.flatMap((step) => stepLines(step, indent, style))
}

/** What is done instead when something fails. */
function catchLines(entries: readonly CatchDocument[], indent: number, style: Style): readonly string[] {
  return entries.flatMap(({ errors, steps }) => [
    `${' '.repeat(indent)}${style.paint.bold(`If it fails with ${errors.join(', ').replace(/^all$/, 'any error')}`)}`,
    ...listLines(steps, indent + 2, style),
  ])
}

/** What is done at the end, however it went. */
function finallyLines(steps: readonly StepDocument[], indent: number, style: Style): readonly string[] {
  if (steps.length === 0) return []
  return [
    `${' '.repeat(indent)}${style.paint.bold('At the end, however it went')}`,
    ...listLines(steps, indent + 2, style),
  ]
}
