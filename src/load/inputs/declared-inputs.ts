import { isJsonObject, type JsonSchema, type JsonValue, partAt } from '../../core/json.ts'

/** The names of the inputs that a schema declares, also those of its alternatives and conditions. */
export function declaredInputs(schema: JsonSchema): readonly string[] {
  const names = new Set<string>()
  const seen = new Set<JsonValue>()
  const visit = (given: JsonValue | undefined): void => {
    if (!isJsonObject(given) || seen.has(given)) return
    seen.add(given)
    if (isJsonObject(given['properties']))
      for (const name of Object.keys(given['properties'])) names.add(name)
    for (const key of ['if', 'then', 'else']) visit(given[key])
    for (const key of ['allOf', 'anyOf', 'oneOf']) {
      const schemas = given[key]
      if (Array.isArray(schemas)) schemas.forEach(visit)
    }
    const reference = given['$ref']
    if (typeof reference === 'string') visit(partAt(schema, reference))
  }
  visit(schema as JsonValue)
  return [...names]
}

/** The schema that inputs are checked with: one without rules for other inputs allows none. */
export function closedSchema(inputs: JsonSchema = {}): JsonSchema {
  const { properties } = inputs
  const elsewhere = declaredInputs(inputs).map((name) => [name, true] as const)
  return {
    type: 'object',
    additionalProperties: false,
    ...inputs,
    properties: { ...Object.fromEntries(elsewhere), ...(isJsonObject(properties) ? properties : {}) },
  }
}
