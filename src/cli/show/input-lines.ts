import type { JsonObject } from '../../core/json.ts'
import { identityText } from '../../core/record/identity.ts'
import type { ResumeRecord, RunRecord } from '../../engine/embedded/index.ts'
import { valueLines } from '../run/report/output-lines.ts'
import type { ReportOptions } from '../run/report/report-lines.ts'
import { openSandboxName, sandboxName } from '../sandbox-name.ts'
import { momentText } from '../terminal/duration-text.ts'
import { printableLine } from '../terminal/printable.ts'
import { startedFromText } from './started-from-text.ts'

/** Of long inputs, unless all is asked for. */
const fewLines = 12

/** What the run was started with, and what it went on with wherever that was changed as it was resumed. */
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
  return section('Goes on with', facts, inputs_before && inputsFrom(run, index + 1), options)
}

/** What it was from that resume on: what the next one that changed it has replaced, or what it is now. */
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
      : valueLines(inputs, options, options.isFull ? undefined : fewLines)
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
  if (name === openSandboxName) return 'a sandbox of its own, which steps and messages may leave'
  return name === sandboxName ? 'a sandbox of its own' : name
}
