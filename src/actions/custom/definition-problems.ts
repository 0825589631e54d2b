import { operations } from '../../api/operations/index.ts'
import {
  type BatchRule,
  type InputProblem,
  ownActionName,
  type SafetyRule,
  usualTimeoutMs,
} from '../../core/action.ts'
import { isJsonObject, type JsonSchema } from '../../core/json.ts'
import { hint } from '../../core/text/index.ts'
import { compileSchema } from './compile-schema.ts'

type Definition = Readonly<Record<string, unknown>>
type Check = (value: unknown, definition: Definition) => string | undefined

const required: Readonly<Record<string, Check>> = {
  name: nameComplaint,
  summary: (value) =>
    isText(value) && !/[\r\n]/.test(value) ? undefined : 'must be one line of text that is not empty',
  safety: (value) =>
    isSafety(value) ? undefined : 'must be "read", "idempotent" or "create": it decides what may be repeated',
  input: schemaComplaint,
  output: schemaComplaint,
  run: functionComplaint,
}

const optional: Readonly<Record<string, Check>> = {
  check: functionComplaint,
  safetyBy: (value, { input }) => safetyRuleComplaint(value as SafetyRule, input),
  batch: (value, { input, output }) => batchComplaint(value as BatchRule, input, output),
  sensitiveInput: (value, { input }) => fieldsComplaint(value, input),
  sensitiveOutput: (value, { output }) => fieldsComplaint(value, output),
  timeoutMs: timeComplaint,
  minimumTimeoutMs: (value, { timeoutMs = usualTimeoutMs }) =>
    timeComplaint(value) ??
    (Number(value) > Number(timeoutMs) ? 'must not be more than timeoutMs' : undefined),
  findOut: (value) => (isText(value) ? undefined : 'must be a text that is not empty'),
  savesFile: (value) => (value === 'always' ? undefined : 'must be "always" or left out'),
  errors: (value) =>
    Array.isArray(value) && value.every(isOwnCode)
      ? undefined
      : 'must be a list of codes in PascalCase, such as "TicketLocked"',
}

/** Everything that is wrong with the definition of an action. */
export function definitionProblems(definition: unknown): readonly InputProblem[] {
  if (typeof definition !== 'object' || definition === null)
    return [{ path: 'definition', message: 'must be an object' }]
  const given = definition as Definition
  const names = [...Object.keys(required), ...Object.keys(optional)]
  const unknown = Object.keys(given)
    .filter((name) => !names.includes(name))
    .map((name) => ({ path: name, message: `is not known${hint(name, names)}` }))
  const wrong = names.flatMap((name) => {
    const value = given[name]
    if (value === undefined && Object.hasOwn(optional, name)) return []
    const message = value === undefined ? 'is required' : (required[name] ?? optional[name])?.(value, given)
    return message === undefined ? [] : [{ path: name, message }]
  })
  return [...unknown, ...wrong]
}

/** The first parts of our own names: what we add later must not collide with what a project has. */
const namespaces = new Set(['core', ...Object.values(operations).map(({ name }) => name.split('/')[0])])

function nameComplaint(value: unknown): string | undefined {
  if (!isText(value) || !ownActionName.test(value))
    return 'must be namespace/name in lower case, such as "acme/ticket/open"'
  const [namespace = ''] = value.split('/')
  return namespaces.has(namespace)
    ? `is in the namespace "${namespace}", which belongs to Opsbook; choose one of your own`
    : undefined
}

function schemaComplaint(value: unknown): string | undefined {
  if (!isJsonObject(value) || value['type'] !== 'object') return "must be a JSON Schema with type: 'object'"
  try {
    compileSchema(value as JsonSchema)
    return undefined
  } catch (error) {
    return `is not a JSON Schema: ${(error as Error).message}`
  }
}

function functionComplaint(value: unknown): string | undefined {
  return typeof value === 'function' ? undefined : 'must be a function'
}

function timeComplaint(value: unknown): string | undefined {
  return Number.isSafeInteger(value) && Number(value) > 0 ? undefined : 'must be milliseconds, a whole number'
}

/** The first part of every field must be in the schema, where the schema lists its fields. */
function fieldsComplaint(value: unknown, schema: unknown): string | undefined {
  if (!Array.isArray(value) || !value.every(isText)) return 'must be a list of fields'
  const properties = isJsonObject(schema) ? schema['properties'] : undefined
  if (!isJsonObject(properties)) return undefined
  const names = Object.keys(properties)
  const missing = value.map((field) => field.split('.')[0] ?? '').find((name) => !names.includes(name))
  return missing === undefined
    ? undefined
    : `names "${missing}", which the schema does not have${hint(missing, names)}`
}

function isSafety(value: unknown): boolean {
  return value === 'read' || value === 'idempotent' || value === 'create'
}

/** What is wrong with the rule that makes the safety of a call depend on its arguments. */
function safetyRuleComplaint(rule: SafetyRule, input: unknown): string | undefined {
  if (!isJsonObject(rule)) return 'must be a map: argument, by, values, leftOut'
  const unknown = Object.keys(rule).find((key) => !['argument', 'by', 'values', 'leftOut'].includes(key))
  if (unknown !== undefined) return `has "${unknown}", and knows argument, by, values and leftOut`
  const { argument, by, values, leftOut } = rule
  if (textProperty(input, argument) === undefined)
    return `needs "argument": the name of an argument that the input schema has with type: 'string'`
  const listed = textProperty(input, argument)?.['enum']
  if (!Array.isArray(listed) || !listed.every(isSafety))
    return `needs "${argument}" to be one of read, idempotent and create: an enum in the input schema`
  if (textProperty(input, by) === undefined)
    return `needs "by": the name of an argument that the input schema has with type: 'string'`
  if (!isJsonObject(values) || !Object.values(values).every(isSafety))
    return 'needs values: for each value of the argument in "by", "read", "idempotent" or "create"'
  return isSafety(leftOut)
    ? undefined
    : 'needs leftOut, for a call that has neither argument: "read", "idempotent" or "create"'
}

function textProperty(schema: unknown, name: unknown): JsonSchema | undefined {
  const properties = isJsonObject(schema) ? schema['properties'] : undefined
  if (typeof name !== 'string' || !isJsonObject(properties)) return undefined
  const property = Object.hasOwn(properties, name) ? properties[name] : undefined
  return isJsonObject(property) && property['type'] === 'string' ? (property as JsonSchema) : undefined
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== ''
}

/** What is wrong with the rule for a batch. */
function batchComplaint(rule: BatchRule, input: unknown, output: unknown): string | undefined {
  if (!isJsonObject(rule)) return 'must be a map: argument, size, results, isPositional'
  if (!isList(input, rule.argument))
    return 'must name an argument that the input schema describes as an array'
  if (!isList(output, rule.results)) return 'must name results that the output schema describes as an array'
  if (!Number.isSafeInteger(rule.size) || rule.size < 1) return 'needs a size: how many items one call takes'
  if (typeof rule.isPositional !== 'boolean') return 'needs isPositional: true or false'
  const texts = [rule.itemError, rule.itemKey]
  if (texts.some((text) => text !== undefined && typeof text !== 'string'))
    return 'has an itemError or itemKey that is no field name'
  return undefined
}

function isList(schema: unknown, name: unknown): boolean {
  const properties = isJsonObject(schema) ? schema['properties'] : undefined
  if (typeof name !== 'string' || !isJsonObject(properties)) return false
  const property = Object.hasOwn(properties, name) ? properties[name] : undefined
  return isJsonObject(property) && property['type'] === 'array'
}

/** Codes that say what the engine did or found: an action cannot know them. */
const engineCodes: ReadonlySet<unknown> = new Set(['Cancelled', 'Interrupted', 'InternalDefect', 'PlanDrift'])

/** Whether an action may fail with this code: PascalCase, and no code of the engine. */
export function isOwnCode(code: unknown): code is string {
  return typeof code === 'string' && /^[A-Z][a-z0-9]+([A-Z][a-z0-9]*)*$/.test(code) && !engineCodes.has(code)
}
