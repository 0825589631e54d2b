import type { ValidateFunction } from 'ajv'
import type { ActionDescription } from '../core/action.ts'
import type { DiagnosticCode } from '../core/diagnostic.ts'
import { formatDuration, parseDuration } from '../core/duration.ts'
import { canBe, describeKinds, typeOfSchema, type ValueType } from '../core/expressions/value-type.ts'
import { isJsonObject, type JsonObject, type JsonSchema } from '../core/json.ts'
import { nearest } from '../core/nearest.ts'
import { compileOwn, type ShapeProblem, schemaProblems } from './check-shape.ts'
import type { JsonPath } from './json-path.ts'
import type { StepKeys } from './runbook-document.ts'
import { hasExpression } from './segments.ts'
import type { Source } from './source.ts'

const validators = new WeakMap<ActionDescription, ValidateFunction>()

const codes: Readonly<Record<ShapeProblem['code'], DiagnosticCode>> = {
  UNKNOWN_KEY: 'UNKNOWN_ARGUMENT',
  MISSING_KEY: 'MISSING_ARGUMENT',
  WRONG_TYPE: 'WRONG_ARGUMENT',
  WRONG_VALUE: 'WRONG_ARGUMENT',
  INVALID_DURATION: 'WRONG_ARGUMENT',
}

/**
 * Checks what a step gives to its action: what is written out against the schema and the action's own rules, an
 * expression by the type of its value. The values themselves are checked again before the call.
 */
export function checkArguments(
  source: Source,
  action: ActionDescription,
  step: StepKeys,
  type: ValueType,
  given: unknown,
  path: JsonPath,
): void {
  const values = given ?? {}
  const withPath = step.with === undefined ? path : [...path, 'with']
  if (isJsonObject(values)) {
    const problems = schemaProblems(validatorOf(action), values)
    for (const problem of problems) addProblem(source, action, problem, withPath)
    checkRules(source, action, values, withPath, problems.length === 0)
    checkValues(source, action.input, values, withPath)
  }
  checkTypes(source, action.input, type, values, withPath)
  checkStepKeys(source, action, step, path)
}

function addProblem(
  source: Source,
  action: ActionDescription,
  problem: ShapeProblem,
  withPath: JsonPath,
): void {
  const path = [...withPath, ...problem.path]
  const range = problem.isAboutKey ? source.rangeOfKey(path) : source.rangeOf(path)
  const isAboutAction = problem.path.length === 0 || (problem.isAboutKey && problem.path.length === 1)
  const message = isAboutAction
    ? problem.message.replace(/the runbook|a runbook/, action.name).replace('key', 'argument')
    : problem.message
  source.findings.add(codes[problem.code], path, range, message, problem.hint)
}

/** The rules of the action, where all arguments are written out and fit the schema. */
function checkRules(
  source: Source,
  action: ActionDescription,
  values: JsonObject,
  withPath: JsonPath,
  fitsSchema: boolean,
): void {
  if (!fitsSchema || !action.check || holdsExpression(values)) return
  for (const { path: at, message } of action.check(values)) {
    const place = [...withPath, ...(at === '' ? [] : at.split('.'))]
    source.findings.add('WRONG_ARGUMENT', place, source.rangeOf(place), `"${at}" ${message}`)
  }
}

/** Warns of values that fit and are still suspicious: deprecated, not listed, or close to a known name. */
function checkValues(source: Source, schema: JsonSchema, value: unknown, path: JsonPath): void {
  const { knownValues, suggestions, properties, items, deprecated } = schema
  const range = source.rangeOf(path)
  if (deprecated === true) {
    const message = `"${String(path.at(-1))}" is deprecated`
    source.findings.warn('DEPRECATED_ARGUMENT', path, source.rangeOfKey(path), message, 'leave it out')
  }
  if (typeof value === 'string' && !hasExpression(value)) {
    const known = knownValues as readonly string[] | undefined
    if (known && !known.includes(value)) {
      const near = nearest(value, known)
      const hint = near === undefined ? `listed: ${known.join(', ')}` : `did you mean "${near}"?`
      source.findings.warn('UNLISTED_VALUE', path, range, `"${value}" is not among the listed values`, hint)
    }
    const names = suggestions as readonly string[] | undefined
    const near = names?.includes(value) === false ? nearest(value, names) : undefined
    if (near !== undefined) {
      source.findings.warn(
        'UNKNOWN_TOOL',
        path,
        range,
        `no known tool is called "${value}"`,
        `did you mean "${near}"?`,
      )
    }
  }
  if (Array.isArray(value) && isJsonObject(items)) {
    for (const [index, item] of value.entries()) checkValues(source, items, item, [...path, index])
  }
  if (!isJsonObject(value) || !isJsonObject(properties)) return
  for (const [name, item] of Object.entries(value)) {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (isJsonObject(property)) checkValues(source, property, item, [...path, name])
  }
}

/** An expression whose value can never fit the argument. */
function checkTypes(
  source: Source,
  schema: JsonSchema,
  type: ValueType,
  value: unknown,
  path: JsonPath,
): void {
  if (typeof value === 'string') {
    const wanted = typeOfSchema(schema)
    if (!hasExpression(value) || wanted.kinds === undefined || canBe(type, ...wanted.kinds)) return
    const message = `"${String(path.at(-1))}" takes ${describeKinds(wanted.kinds)}, and this is ${describeKinds(type.kinds)}`
    source.findings.add('WRONG_KIND', path, source.rangeOf(path), message)
    return
  }
  const { properties } = schema
  if (!isJsonObject(value) || !isJsonObject(properties)) return
  for (const [name, item] of Object.entries(value)) {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined
    const field = type.fields?.[name]
    if (isJsonObject(property) && field) checkTypes(source, property, field.type, item, [...path, name])
  }
}

/** Keys of the step that only some actions can honour. */
function checkStepKeys(source: Source, action: ActionDescription, step: StepKeys, path: JsonPath): void {
  const add = (code: DiagnosticCode, key: string, message: string, hint?: string): void => {
    const place = [...path, key]
    source.findings.add(code, place, source.rangeOfKey(place), message, hint)
  }
  if (action.savesFile === 'always' && step['save-as'] === undefined) {
    add(
      'MISSING_SAVE_AS',
      'uses',
      `${action.name} writes a file: say where`,
      'such as save-as: session.ndjson',
    )
  }
  if (action.batch === undefined && step.tolerate !== undefined) {
    add('UNSUPPORTED_TOLERATE', 'tolerate', `${action.name} has no items that could fail one by one`)
  }
  const timeout = step['attempt-timeout'] === undefined ? undefined : parseDuration(step['attempt-timeout'])
  const least = action.minimumTimeoutMs ?? 1
  if (timeout !== undefined && timeout < least) {
    const message = `${action.name} needs at least ${formatDuration(least)} for one attempt`
    add('WRONG_VALUE', 'attempt-timeout', message, `such as ${formatDuration(action.defaultTimeoutMs)}`)
  }
}

function holdsExpression(value: unknown): boolean {
  if (typeof value === 'string') return hasExpression(value)
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsExpression)
}

function validatorOf(action: ActionDescription): ValidateFunction {
  const known = validators.get(action)
  if (known) return known
  const compiled = compileOwn(action.input)
  validators.set(action, compiled)
  return compiled
}
