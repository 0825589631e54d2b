import type { JsonPath } from './json-path.ts'
import { type ShapeProblem, schemaProblems } from './schema-problems.ts'
import { createShapeValidators } from './shape-validators.ts'
import type { Source } from './source.ts'
import { unreadable } from './yaml/unreadable.ts'

const validatorOf = createShapeValidators()

/** Checks the shape of a whole runbook. A value that is an expression fits every place that has a type. */
export function checkShape(source: Source): void {
  if (source.value === unreadable) return
  const isCutOff = source.findings.list.some(({ code }) => code === 'SEVERAL_DOCUMENTS')
  for (const problem of schemaProblems(validatorOf(source.value), source.value)) {
    const { code, path, isAboutKey, message } = problem
    // What is missing here may stand after the line that begins the next document.
    if (isCutOff && code === 'MISSING_KEY' && path.length === 0) continue
    if (isName(code, path)) continue
    const range = isAboutKey ? source.rangeOfKey(path) : source.rangeOf(path)
    source.findings.add(code, path, range, message, hintOf(source, problem))
  }
}

/** Names that expressions use are judged when the step is compiled, in words of their own. */
function isName(code: ShapeProblem['code'], path: JsonPath): boolean {
  if (path[0] === 'inputs') return false
  const [holder, key] = path.slice(-2)
  if (key === 'id') return typeof holder === 'number' && (code === 'WRONG_TYPE' || code === 'WRONG_VALUE')
  return key === 'as' && holder === 'for-each' && code === 'WRONG_VALUE'
}

/** A hint to quote shows the value as it is written: `1.10` is no longer itself as a number. */
export function hintOf(source: Source, { code, path, hint, wantsText }: ShapeProblem): string | undefined {
  if (code !== 'WRONG_TYPE' || !wantsText) return hint
  const written = source.scalarAt(path)?.written
  return written === undefined || written === '' ? hint : `quote it: "${written}"`
}
