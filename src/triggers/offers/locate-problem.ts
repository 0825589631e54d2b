import type { JsonObject } from '../../core/json.ts'
import { formatPath, valueAt } from '../../load/json-path.ts'
import { readSource, type Source } from '../../load/source.ts'
import type { MappingProblem } from './read-trigger.ts'
import type { TriggeredRunbook } from './runbook.ts'

const sources = new WeakMap<TriggeredRunbook, Source>()

/** A problem with the place in the file where its expression stands. */
export function locateProblem(
  { path, message, expression, values }: MappingProblem,
  runbook: TriggeredRunbook,
): { readonly message: string; readonly details: JsonObject } {
  const source = sources.get(runbook) ?? readSource(runbook.text)
  sources.set(runbook, source)
  const text = valueAt(source.value, path)
  const start = expression === undefined || typeof text !== 'string' ? -1 : text.indexOf(expression)
  const range =
    start < 0 ? source.rangeOf(path) : source.rangeWithin(path, start, start + (expression?.length ?? 0))
  const { line, column } = range.start
  const place = { path: formatPath(path), file: runbook.file, line, column }
  return {
    message,
    details: {
      ...place,
      ...(expression === undefined ? {} : { expression }),
      ...(values === undefined ? {} : { values }),
    },
  }
}
