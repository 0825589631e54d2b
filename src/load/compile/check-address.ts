import { evaluateTemplate, known, type Template, templateSource } from '../../core/expressions/index.ts'
import { isJsonObject, type JsonPath, type JsonValue } from '../../core/json.ts'
import type { CompileContext } from './context.ts'

/** Warns of a value inside a path that is known to hold a slash: the value stays one part, and is sent with `%2F`. */
export function checkAddress(
  { source, document: { inputs } }: CompileContext,
  address: Template & { readonly kind: 'text' },
  path: JsonPath,
): void {
  const properties = isJsonObject(inputs?.['properties']) ? inputs['properties'] : {}
  const shown = Object.entries(properties).flatMap(([name, schema]) => {
    const value = shownValue(schema)
    return value === undefined ? [] : [[name, value] as const]
  })
  const scope = { inputs: known(Object.fromEntries(shown)) }
  for (const expression of address.parts) {
    if (typeof expression === 'string') continue
    const template: Template = { kind: 'expression', expression }
    const evaluated = evaluateTemplate(template, scope)
    if (evaluated.state !== 'known' || !String(evaluated.value).includes('/')) continue
    const message = `${templateSource(template)} can be "${evaluated.value}", whose slash is sent as %2F`
    const hint = 'two inputs for two parts; a path that is one whole expression is sent as it is'
    source.warn('WRONG_ARGUMENT', path, message, hint)
  }
}

/** What the schema of an input says that its value can be: one with a slash, if it says several. */
function shownValue(schema: JsonValue): JsonValue | undefined {
  if (!isJsonObject(schema)) return undefined
  const { const: only, default: usual, enum: listed } = schema
  const values = [only, usual, ...(Array.isArray(listed) ? listed : [])]
  return values.find((value) => typeof value === 'string' && value.includes('/'))
}
