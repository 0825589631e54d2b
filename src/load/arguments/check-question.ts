import { isJsonObject, type JsonPath } from '../../core/json.ts'
import { type AnswerPolicy, policyProblem } from '../../core/people/index.ts'
import { parseDuration } from '../../core/times/index.ts'
import type { CompileContext } from '../compile/context.ts'
import { expressionPaths } from '../expressions/segments.ts'
import { checkReminders } from './check-reminders.ts'

/** Checks what a step asks: that people have time to answer, are reminded in that time, and can answer. */
export function checkQuestion(
  context: CompileContext,
  values: Readonly<Record<string, unknown>>,
  withPath: JsonPath,
): void {
  checkReminders(context, values, withPath)
  checkTimeout(context, values, withPath)
  checkAnswerable(context, values['from'], [...withPath, 'from'])
}

function checkTimeout(
  { source }: CompileContext,
  { timeout, from, 'on-timeout': onTimeout }: Readonly<Record<string, unknown>>,
  withPath: JsonPath,
): void {
  const at = [...withPath, 'on-timeout']
  if (onTimeout !== undefined && timeout === undefined) {
    const message = 'without a timeout the step waits for ever, and "on-timeout" changes nothing'
    source.warn('NO_EFFECT', { key: at }, message, 'such as timeout: 30m')
  } else if (onTimeout === 'approve' && from !== undefined) {
    const message = `"from" says who may approve, and after ${String(timeout)} the step is approved without them`
    const hint = 'on-timeout: reject, or fail; without "from", the first answer counts'
    source.warn('TIMEOUT_APPROVES', at, message, hint)
  }
  if (typeof timeout !== 'string' || parseDuration(timeout) !== 0) return
  const message = 'there is no time to answer'
  source.add('TIMEOUT_TOO_SHORT', [...withPath, 'timeout'], message, 'such as 30m')
}

/** With the people of the project, where they are known. */
function checkAnswerable({ source, children }: CompileContext, from: unknown, at: JsonPath): void {
  const { people } = children.family
  if (people === undefined || !isPolicy(from)) return
  const problem = policyProblem(from, people)
  if (problem === undefined) return
  const hint = 'people.groups and people.trust of opsbook.yaml say who may answer'
  source.warn('CANNOT_BE_ANSWERED', at, problem, hint)
}

function isCount(count: unknown): boolean {
  return Number.isInteger(count) && (count as number) >= 1
}

/** What is no policy has become a finding already. */
function isPolicy(from: unknown): from is AnswerPolicy {
  if (!isJsonObject(from)) return false
  const { groups, count } = from
  const isList =
    groups === undefined ||
    (Array.isArray(groups) && groups.length > 0 && groups.every((one) => typeof one === 'string'))
  return isList && expressionPaths(from, []).length === 0 && (count === undefined || isCount(count))
}
