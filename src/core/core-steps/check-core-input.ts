import { coreActions } from '../core-actions.ts'
import { parseDuration } from '../duration.ts'
import { kindOf as nameKind } from '../expressions/evaluate.ts'
import { kindOf } from '../expressions/value-type.ts'
import { isJsonObject, type JsonObject, type JsonSchema, type JsonValue } from '../json.ts'
import { RunbookError } from '../run-error.ts'

/** Refuses arguments that came out of expressions and do not fit: what was written out, the loader has checked. */
export function checkCoreInput(name: string, input: JsonObject): void {
  const action = coreActions.find((one) => one.name === name)
  const problems = action ? problemsOf(action.input, input, '') : []
  const all = [...problems, ...(action?.check?.(input) ?? []).map(({ message }) => message)]
  if (all.length === 0) return
  throw new RunbookError('InvalidInput', `${name}: ${all.join('; ')}`, { notSent: true })
}

const names = { text: 'a text', boolean: 'true or false', map: 'a map', list: 'a list' } as const

const kindsOfTypes: Readonly<Record<string, keyof typeof names>> = {
  string: 'text',
  boolean: 'boolean',
  object: 'map',
  array: 'list',
}

/** What of a value does not fit, by the few keywords that the schemas of the core's own actions have. */
function problemsOf(schema: JsonSchema, value: JsonValue, path: string): readonly string[] {
  const { type, format } = schema
  const at = path === '' ? 'the whole' : path
  const wanted = typeof type === 'string' ? kindsOfTypes[type] : undefined
  if (wanted !== undefined && kindOf(value) !== wanted)
    return [`${at} must be ${names[wanted]}, not ${nameKind(value)}`]
  const allowed = schema['enum'] as readonly JsonValue[] | undefined
  if (allowed && !allowed.includes(value))
    return [`${at} must be one of ${allowed.join(', ')}, not ${String(value)}`]
  if (format === 'duration' && parseDuration(String(value)) === undefined)
    return [`${at} must be a duration such as 30m, not ${JSON.stringify(value)}`]
  if (Array.isArray(value))
    return value.flatMap((item, index) =>
      problemsOf((schema['items'] ?? {}) as JsonSchema, item, `${path}[${index}]`),
    )
  return isJsonObject(value) ? problemsOfFields(schema, value, path) : []
}

function problemsOfFields(schema: JsonSchema, value: JsonObject, path: string): readonly string[] {
  const properties = (schema['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>
  const required = (schema['required'] ?? []) as readonly string[]
  const inside = (name: string): string => (path === '' ? name : `${path}.${name}`)
  return [
    ...required.filter((name) => value[name] === undefined).map((name) => `${inside(name)} is missing`),
    ...Object.entries(value).flatMap(([name, item]) => {
      const property = Object.hasOwn(properties, name) ? properties[name] : undefined
      if (property) return problemsOf(property, item, inside(name))
      return schema['additionalProperties'] === false ? [`there is no argument ${inside(name)}`] : []
    }),
  ]
}
