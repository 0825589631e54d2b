import type { JsonObject } from '../../core/json.ts'
import { identityText } from '../../core/people/index.ts'
import type { ResumeRecord, RunRecord, RunSummary } from '../../core/record/index.ts'
import { openSandboxName, sandboxName } from '../../project/index.ts'
import { printableLine } from '../../project/text/index.ts'
import { outputValueLines } from '../run/report/output-lines.ts'
import type { ReportOptions } from '../run/report/reported-run.ts'
import { momentText } from '../shared/terminal/quantity-text.ts'

/** Most lines of inputs without `--full`. */
const fewLines = 12

/** What the run was started with, and what each resume changed. */
export function inputLines(run: RunRecord, options: ReportOptions): readonly string[] {
  const labels = Object.entries(run.labels).map(([name, value]) => `${name}=${value}`)
  const [planHash, inputs] = [planFrom(run, 0), inputsFrom(run, 0)]
  const started = [
    ...(run.key === undefined ? [] : [['id', run.key]]),
    ...(labels.length === 0 ? [] : [['labels', labels.join(' ')]]),
    ...(run.connection === undefined ? [] : [['connection', connectionText(run.connection)]]),
    ['plan', hashText(planHash, options)],
    ['started', momentText(Date.parse(run.started_at)) + startedFromText(run)],
  ]
  return [
    ...section('Started with', started, inputs, options),
    ...run.resumes.flatMap((resume, index) => changeLines(run, resume, index, options)),
  ]
}

function changeLines(
  run: RunRecord,
  { number, by, at, plan_hash_before, inputs_before }: ResumeRecord,
  index: number,
  options: ReportOptions,
): readonly string[] {
  if (plan_hash_before === undefined && inputs_before === undefined) return []
  const facts = [
    ...(plan_hash_before === undefined ? [] : [['plan', hashText(planFrom(run, index + 1), options)]]),
    ['resumed', `${momentText(Date.parse(at))} by ${identityText(by)}, resume ${number}`],
  ]
  return section('Resumed with', facts, inputs_before && inputsFrom(run, index + 1), options)
}

/** The plan from that resume on: what the next change replaced, or the current one. */
function planFrom({ resumes, plan }: RunRecord, index: number): string {
  return resumes.slice(index).find((one) => one.plan_hash_before !== undefined)?.plan_hash_before ?? plan.hash
}

function inputsFrom({ resumes, inputs }: RunRecord, index: number): JsonObject {
  return resumes.slice(index).find((one) => one.inputs_before !== undefined)?.inputs_before ?? inputs
}

function section(
  title: string,
  facts: readonly (readonly string[])[],
  inputs: JsonObject | undefined,
  options: ReportOptions,
): readonly string[] {
  const { paint, mask } = options
  const values =
    inputs === undefined || Object.keys(inputs).length === 0
      ? []
      : outputValueLines(inputs, options, options.isFull ? {} : { most: fewLines, all: '--full' })
  return [
    '',
    paint.bold(title),
    ...facts.map(
      ([name = '', value = '']) => `  ${paint.dim(name.padEnd(10))}  ${mask.text(printableLine(value))}`,
    ),
    ...(values.length === 0 ? [] : [`  ${paint.dim('inputs')}`, ...values.map((line) => `  ${line}`)]),
  ]
}

function hashText(hash: string, { isFull }: ReportOptions): string {
  return isFull ? hash : hash.slice(0, 12)
}

function connectionText(name: string): string {
  if (name === openSandboxName) return 'its own sandbox, which steps and notifications may leave'
  return name === sandboxName ? 'its own sandbox' : name
}

/** What started a run, such as ` by alex` or ` by the event inc-42 of incidents`. */
export function startedFromText({ started_by, started_from }: RunSummary): string {
  if (started_from?.kind === 'event')
    return printableLine(` by the event ${started_from.event_id} of ${started_from.hook}`)
  if (started_from?.kind === 'schedule') return ` by its schedule, for ${started_from.at}`
  return started_by === undefined ? '' : ` by ${identityText(started_by)}`
}
