import type { RunRecord } from '../../engine/embedded/index.ts'
import { valueLines } from '../run/report/output-lines.ts'
import type { ReportOptions } from '../run/report/report-lines.ts'
import { sandboxName } from '../sandbox-name.ts'
import { momentText } from '../terminal/duration-text.ts'
import { printableLine } from '../terminal/printable.ts'

/** Of long inputs, unless all is asked for. */
const fewLines = 12

/** What the run was started with. */
export function inputLines(run: RunRecord, options: ReportOptions): readonly string[] {
  const { paint, mask } = options
  const labels = Object.entries(run.labels).map(([name, value]) => `${name}=${value}`)
  const facts = [
    ...(run.key === undefined ? [] : [['id', run.key]]),
    ...(labels.length === 0 ? [] : [['labels', labels.join(' ')]]),
    ...(run.connection === undefined ? [] : [['connection', connectionText(run.connection)]]),
    ['plan', options.isFull ? run.plan.hash : run.plan.hash.slice(0, 12)],
    [
      'started',
      momentText(Date.parse(run.started_at)) + (run.started_by === undefined ? '' : ` by ${run.started_by}`),
    ],
  ]
  const inputs =
    Object.keys(run.inputs).length === 0
      ? []
      : valueLines(run.inputs, options, options.isFull ? undefined : fewLines)
  return [
    '',
    paint.bold('Started with'),
    ...facts.map(
      ([name = '', value = '']) => `  ${paint.dim(name.padEnd(10))}  ${mask.text(printableLine(value))}`,
    ),
    ...(inputs.length === 0 ? [] : [`  ${paint.dim('inputs')}`, ...inputs.map((line) => `  ${line}`)]),
  ]
}

function connectionText(name: string): string {
  return name === sandboxName ? 'a sandbox of its own' : name
}
