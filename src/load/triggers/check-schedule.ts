import type { JsonPath } from '../../core/json.ts'
import { parseCron, zoneProblem } from '../../core/times/index.ts'
import { checkPositive } from '../compile/check-step-times.ts'
import type { TriggerKeys } from '../runbook-document.ts'
import type { Source } from '../source.ts'

/** Checks the times of a schedule. */
export function checkSchedule(source: Source, trigger: TriggerKeys, path: JsonPath): void {
  checkTimezone(source, trigger.timezone, [...path, 'timezone'])
  checkPositive(source, trigger, ['every'], path)
  checkCron(source, trigger.cron, [...path, 'cron'])
}

function checkCron(source: Source, cron: string | undefined, path: JsonPath): void {
  if (cron === undefined || cron.includes('${{')) return
  const parsed = parseCron(cron)
  if (!('problem' in parsed)) return
  const { message, hint, start, end } = parsed.problem
  source.findings.add('INVALID_CRON', path, source.rangeWithin(path, start, end), message, hint)
}

function checkTimezone(source: Source, name: string | undefined, path: JsonPath): void {
  const problem = name === undefined || name.includes('${{') ? undefined : zoneProblem(name)
  if (problem === undefined) return
  source.add('UNKNOWN_TIMEZONE', path, problem.message, problem.hint)
}
