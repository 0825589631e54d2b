import type { JsonObject, JsonValue } from '../json.ts'
import type { Plan } from '../plan/plan.ts'
import type { RunSummary } from './run-record.ts'
import { canBeSensitive } from './sensitive-values.ts'

/** Whether what lists show of a run holds a text, in whichever case. */
export function hasText(
  { run_id, key = '', runbook, title = '', labels, error }: RunSummary,
  text: string,
): boolean {
  const shown = [run_id, key, runbook, title, ...Object.entries(labels).map((label) => label.join('='))]
  return isIn([...shown, error?.message ?? '', error?.code ?? ''], text)
}

/**
 * Whether an input holds a text, in whichever case. The inputs of a runbook that has a sensitive one, or whose children
 * have, are not searched: else it could be guessed letter by letter.
 */
export function inputsHaveText(inputs: JsonObject, plan: Plan, text: string): boolean {
  const isSensitive = [plan, ...Object.values(plan.children ?? {})].some((one) => canBeSensitive(one.inputs))
  return !isSensitive && isIn(leavesOf(inputs).map(String), text)
}

function leavesOf(value: JsonValue): readonly JsonValue[] {
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(leavesOf) : [value]
}

function isIn(texts: readonly string[], text: string): boolean {
  const wanted = text.toLowerCase()
  return texts.some((one) => one.toLowerCase().includes(wanted))
}
