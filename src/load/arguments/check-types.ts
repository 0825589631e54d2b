import {
  canBe,
  describeKinds,
  itemsOf,
  nullProblem,
  typeOfSchema,
  type ValueType,
} from '../../core/expressions/index.ts'
import { isJsonObject, type JsonPath, type JsonSchema } from '../../core/json.ts'
import type { Compiled } from '../compile/template.ts'
import { addWrongKind } from '../compile/wrong-kind.ts'
import { nameOf } from '../schema-problems.ts'
import type { Source } from '../source.ts'

/** Finds expressions whose value can never fit the schema of their position. */
export function checkTypes(
  source: Source,
  schema: JsonSchema,
  { template, type, parts }: Compiled,
  value: unknown,
  path: JsonPath,
): void {
  if (typeof value === 'string') {
    if (template.kind === 'literal') return
    const { kinds } = typeOf(schema)
    if (kinds === undefined) return
    if (canBe(type, ...kinds)) {
      const problem =
        template.kind === 'expression' ? nullProblem(template.expression.tree, type, kinds) : undefined
      if (problem) source.add('MISSING_GUARD', path, problem.message, problem.hint)
      else checkItems(source, type, schema, path)
      return
    }
    addWrongKind(source, value, type, path, kinds)
    return
  }
  if (parts === undefined || typeof value !== 'object' || value === null) return
  for (const [key, part] of Object.entries(parts)) {
    const inner = schemaInside(schema, key, Array.isArray(value))
    const item = (value as Readonly<Record<string, unknown>>)[key]
    if (inner) checkTypes(source, inner, part, item, [...path, Array.isArray(value) ? Number(key) : key])
  }
}

/** The items of a list can be known, too. */
function checkItems(source: Source, type: ValueType, { items }: JsonSchema, path: JsonPath): void {
  if (!isJsonObject(items) || type.items === undefined) return
  const { kinds } = typeOf(items)
  const known = itemsOf(type)
  if (kinds === undefined || canBe(known, ...kinds)) return
  const message = `each item of ${nameOf(path)} is ${describeKinds(kinds)}, and here it is ${describeKinds(known.kinds)}`
  source.add('WRONG_KIND', path, message)
}

const types = new WeakMap<JsonSchema, ValueType>()

function typeOf(schema: JsonSchema): ValueType {
  const known = types.get(schema) ?? typeOfSchema(schema)
  types.set(schema, known)
  return known
}

function schemaInside(schema: JsonSchema, key: string, isList: boolean): JsonSchema | undefined {
  const { properties, items, additionalProperties } = schema
  if (isList) return isJsonObject(items) ? items : undefined
  if (isJsonObject(properties) && Object.hasOwn(properties, key)) {
    const property = properties[key]
    return isJsonObject(property) ? property : undefined
  }
  return isJsonObject(additionalProperties) ? additionalProperties : undefined
}
