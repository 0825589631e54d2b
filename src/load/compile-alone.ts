import type { Template } from '../core/expressions/tree.ts'
import { anything } from '../core/expressions/value-type.ts'
import { scopeOf } from './compile/scope.ts'
import { indexSteps } from './compile/step-index.ts'
import { compileTemplate } from './compile/template.ts'
import { type JsonPath, valueAt } from './json-path.ts'
import type { Source } from './source.ts'

/**
 * Compiles the expressions of a value outside of a runbook, which see these names alone, whatever they stand for. What is
 * wrong with them becomes findings of the source.
 */
export function compileAlone(source: Source, path: JsonPath, names: readonly string[]): Template {
  const scope = scopeOf(Object.fromEntries(names.map((name) => [name, anything])))
  const context = { source, index: indexSteps({}) }
  return compileTemplate(context, valueAt(source.value, path), path, scope).template
}
