import type { JsonObject, JsonValue } from '../json.ts'
import type { RunSummary } from './run-record.ts'
import { sensitivePaths } from './sensitive-values.ts'

/** Whether what lists show of a run holds a text, in whichever case. */
export function hasText(
  { run_id, key = '', runbook, title = '', labels, error }: RunSummary,
  text: string,
): boolean {
  const shown = [run_id, key, runbook, title, ...Object.entries(labels).map((label) => label.join('='))]
  return isIn([...shown, error?.message ?? '', error?.code ?? ''], text)
}

/** Whether one of these inputs holds a text. A sensitive one is never found: else it could be guessed letter by letter. */
export function inputsHaveText(
  inputs: JsonObject,
  schema: Parameters<typeof sensitivePaths>[0],
  text: string,
): boolean {
  const hidden = new Set(sensitivePaths(schema, inputs).map((path) => JSON.stringify(path)))
  const leavesOf = (value: JsonValue, path: readonly (string | number)[]): readonly string[] => {
    if (hidden.has(JSON.stringify(path))) return []
    if (typeof value !== 'object' || value === null) return [String(value)]
    return Object.entries(value).flatMap(([name, member]) =>
      leavesOf(member, [...path, Array.isArray(value) ? Number(name) : name]),
    )
  }
  return isIn(leavesOf(inputs, []), text)
}

function isIn(texts: readonly string[], text: string): boolean {
  const wanted = text.toLowerCase()
  return texts.some((one) => one.toLowerCase().includes(wanted))
}
