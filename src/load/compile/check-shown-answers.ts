import { type ExpressionTree, formatReference, referencesOf } from '../../core/expressions/index.ts'
import { type JsonPath, valueAt } from '../../core/json.ts'
import { isSensitive } from '../arguments/is-sensitive.ts'
import type { CompileContext } from './context.ts'
import type { Compiled } from './template.ts'

/**
 * Refuses sensitive inputs among the choices and the default of a question: people see them, and the record keeps
 * them. What an expression makes of an input is judged when the step asks.
 */
export function checkShownAnswers(context: CompileContext, { parts = {} }: Compiled, path: JsonPath): void {
  for (const key of ['choices', 'default']) {
    const part = parts[key]
    if (part) refuseSensitive(context, part, [...path, key])
  }
}

function refuseSensitive(context: CompileContext, { template, parts = {} }: Compiled, at: JsonPath): void {
  const { source } = context
  const isList = Array.isArray(valueAt(source.value, at))
  for (const [key, part] of Object.entries(parts))
    refuseSensitive(context, part, [...at, isList ? Number(key) : key])
  if (template.kind !== 'expression' || !isCopy(template.expression.tree)) return
  const read = referencesOf(template).find((one) => one[0] === 'inputs' && isSensitive(context, one))
  if (read === undefined) return
  const message = `"${formatReference(read)}" is sensitive, and what people choose from is shown and recorded`
  const hint = 'ask for a name that stands for it'
  source.add('SECRET_ANSWER', at, message, hint)
}

/** Whether the value of an expression is one that the run has already. */
function isCopy(tree: ExpressionTree): boolean {
  if (tree.kind === 'list') return tree.items.some(isCopy)
  return tree.kind === 'name' || ((tree.kind === 'member' || tree.kind === 'index') && isCopy(tree.of))
}
