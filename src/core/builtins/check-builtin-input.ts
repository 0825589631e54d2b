import type { ActionDescription } from '../action.ts'
import { kindOf, nameKind } from '../expressions/value-type.ts'
import { isJsonObject, type JsonObject, type JsonSchema, type JsonValue } from '../json.ts'
import { RunbookError } from '../run-error.ts'
import { readTime } from '../times/calendar.ts'
import { parseDuration } from '../times/duration.ts'
import { builtinActions } from './definitions.ts'

/** An argument that does not fit. `path` is empty where the whole is meant. */
export interface BuiltinInputProblem {
  readonly path: string
  readonly message: string
}

/** Refuses arguments that came out of expressions and do not fit: what was written out, the loader has checked. */
export function checkBuiltinInput(name: string, input: JsonObject): void {
  const action = builtinActions.find((one) => one.name === name)
  const problems = action ? builtinInputProblems(action, input) : []
  if (problems.length === 0) return
  const list = problems.map(({ path, message }) => (path === '' ? message : `${path} ${message}`))
  throw new RunbookError('InvalidInput', `${name}: ${list.join('; ')}`, { notSent: true })
}

/** Everything that does not fit the schema and the rules of an action of the core. */
export function builtinInputProblems(
  action: ActionDescription,
  input: JsonObject,
): readonly BuiltinInputProblem[] {
  const own = (action.check?.(input) ?? []).map(({ message }) => ({ path: '', message }))
  return [...problemsOf(action.input, input, ''), ...own]
}

const names = { text: 'a text', boolean: 'true or false', map: 'a map', list: 'a list' } as const

const kindsOfTypes: Readonly<Record<string, keyof typeof names>> = {
  string: 'text',
  boolean: 'boolean',
  object: 'map',
  array: 'list',
}

/** What of a value does not fit, by the few keywords that the schemas of the core's own actions have. */
function problemsOf(schema: JsonSchema, value: JsonValue, path: string): readonly BuiltinInputProblem[] {
  const { type, format } = schema
  const problem = (message: string): readonly BuiltinInputProblem[] => [
    { path, message: path === '' ? `the whole ${message}` : message },
  ]
  const wanted = typeof type === 'string' ? kindsOfTypes[type] : undefined
  if (wanted !== undefined && kindOf(value) !== wanted)
    return problem(`must be ${names[wanted]}, not ${nameKind(value)}`)
  const allowed = schema['enum'] as readonly JsonValue[] | undefined
  if (allowed && !allowed.includes(value))
    return problem(`must be one of ${allowed.join(', ')}, not ${String(value)}`)
  if (format === 'duration' && parseDuration(String(value)) === undefined)
    return problem(`must be a duration such as 30m, at most 36500d, not ${JSON.stringify(value)}`)
  if (format === 'date-time' && readTime(String(value)) === undefined)
    return problem(`must be a time such as 2026-01-31T08:00:00Z, not ${JSON.stringify(value)}`)
  if (Array.isArray(value))
    return value.flatMap((item, index) =>
      problemsOf((schema['items'] ?? {}) as JsonSchema, item, `${path}[${index}]`),
    )
  return isJsonObject(value) ? problemsOfFields(schema, value, path) : []
}

function problemsOfFields(
  schema: JsonSchema,
  value: JsonObject,
  path: string,
): readonly BuiltinInputProblem[] {
  const properties = (schema['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>
  const required = (schema['required'] ?? []) as readonly string[]
  const inside = (name: string): string => (path === '' ? name : `${path}.${name}`)
  return [
    ...required
      .filter((name) => value[name] === undefined)
      .map((name) => ({ path: inside(name), message: 'is missing' })),
    ...Object.entries(value).flatMap(([name, item]) => {
      const property = Object.hasOwn(properties, name) ? properties[name] : undefined
      if (property) return problemsOf(property, item, inside(name))
      return schema['additionalProperties'] === false
        ? [{ path: '', message: `there is no argument ${inside(name)}` }]
        : []
    }),
  ]
}
