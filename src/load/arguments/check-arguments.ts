import type { ValidateFunction } from 'ajv'
import type { ActionDescription } from '../../core/action.ts'
import { builtinActions } from '../../core/builtins/index.ts'
import { isJsonObject, type JsonObject, type JsonPath, type JsonSchema, valueAt } from '../../core/json.ts'
import { withSecrets } from '../../core/plan/index.ts'
import { nearest } from '../../core/text/index.ts'
import { type SchemaProblem, type SubjectWords, wordsOfYamlFile } from '../../schema/index.ts'
import { compileOwn } from '../ajv.ts'
import { checkFailCode } from '../check-error-codes.ts'
import { meantKeys } from '../check-kinds.ts'
import { hintOf } from '../check-shape.ts'
import { checkActionTimes } from '../compile/check-step-times.ts'
import type { CompileContext } from '../compile/context.ts'
import type { TakenSecrets } from '../compile/secrets.ts'
import type { Compiled } from '../compile/template.ts'
import type { DiagnosticCode } from '../diagnostic.ts'
import type { StepKeys } from '../runbook-document.ts'
import { schemaFindings } from '../schema-problems.ts'
import { findingPlace, type Source } from '../source.ts'
import { isUnknownYet } from '../yaml/findings.ts'
import { checkCommand } from './check-command.ts'
import { checkConnection } from './check-connection.ts'
import { checkQuestion } from './check-question.ts'
import { checkTypes } from './check-types.ts'
import { hasUnknown } from './has-unknown.ts'

const validators = new WeakMap<ActionDescription, ValidateFunction>()

const codes: Readonly<Record<SchemaProblem['code'], DiagnosticCode>> = {
  UNKNOWN_KEY: 'UNKNOWN_ARGUMENT',
  MISSING_KEY: 'MISSING_ARGUMENT',
  WRONG_TYPE: 'WRONG_ARGUMENT',
  WRONG_VALUE: 'WRONG_ARGUMENT',
  INVALID_DURATION: 'INVALID_DURATION',
}

/**
 * Checks what a step gives to its action: what is written out against the schema and the action's own rules, an
 * expression by the type of its value. The values themselves are checked again before the call.
 */
export function checkArguments(
  context: CompileContext,
  action: ActionDescription,
  step: StepKeys,
  compiled: Compiled,
  taken: TakenSecrets,
  path: JsonPath,
): void {
  const { source } = context
  const values = isElsewhere(source, step, path)
    ? undefined
    : step.with === undefined
      ? {}
      : withPlaceholders(taken)
  const withPath = step.with === undefined ? path : [...path, 'with']
  if (isJsonObject(values)) {
    const problems = schemaFindings(validatorOf(action), values, [], wordsOf(action)).filter(
      (one) => !isSecret(one.path, taken),
    )
    for (const problem of problems) addProblem(source, problem, withPath)
    if (problems.length === 0) {
      checkRules(source, action, values, withPath, taken)
      checkForbidden(context, action, values, withPath)
    }
    checkSuspicious(source, action.input, values, withPath)
    if (action.name === 'core/http') checkHeaders(source, values, withPath)
  }
  checkTypes(source, action.input, compiled, values, withPath)
  checkStepKeys(source, action, step, path)
  if (!isElsewhere(source, step, path)) checkConnection(context, action, step, path)
  checkActionTimes(context, action, step, path)
  checkCoreCall(context, action, step, values, path)
  if (action.name === 'core/command') checkCommand(context, action, step, compiled, path)
}

function addProblem(source: Source, problem: SchemaProblem, withPath: JsonPath): void {
  const path = [...withPath, ...problem.path]
  const place = findingPlace(path, problem.isAboutKey)
  source.add(codes[problem.code], place, problem.message, hintOf(source, { ...problem, path }))
}

function wordsOf({ name }: ActionDescription): SubjectWords {
  return wordsOfYamlFile({
    whole: name,
    missing: (key) => `${name} needs the argument "${key}"`,
    unknown: (key) => `there is no argument "${key}" in ${name}`,
  })
}

/** Arguments under a misspelled key have been told about; they are not missing as well. */
function isElsewhere({ value }: Source, step: StepKeys, path: JsonPath): boolean {
  if (step.with !== undefined) return false
  const written = valueAt(value, path)
  return isJsonObject(written) && meantKeys('step', written).includes('with')
}

/** A word where a secret will stand, so that what is required is there. */
function withPlaceholders({ rest, fields }: TakenSecrets): unknown {
  const positions = fields.map((path) => ({ path, name: '' }))
  return isJsonObject(rest) ? withSecrets(rest, positions, () => 'secret') : rest
}

/** A finding about the placeholder is none about the secret. */
function isSecret(path: JsonPath, { fields }: TakenSecrets): boolean {
  return fields.some((field) => field.length === path.length && field.every((key, at) => path[at] === key))
}

/** The rules of the action, where all arguments are written out and fit the schema. */
function checkRules(
  source: Source,
  action: ActionDescription,
  values: JsonObject,
  withPath: JsonPath,
  taken: TakenSecrets,
): void {
  if (!action.check || isOpen(values)) return
  for (const { path: at, message } of action.check(values)) {
    if (isSecret(partsOf(at), taken)) continue
    const text = at === '' ? `${action.name} ${message}` : `"${at}" ${message}`
    source.add('WRONG_ARGUMENT', [...withPath, ...partsOf(at)], text)
  }
}

/** What the configuration forbids, as far as the arguments are written out. */
function checkForbidden(
  { source, children }: CompileContext,
  { name, forbidden }: ActionDescription,
  values: JsonObject,
  withPath: JsonPath,
): void {
  const written = Object.entries(values).filter(([, value]) => !isOpen(value))
  const isKnown = (key: string): boolean => !isOpen(values[key])
  for (const { path: at, message } of forbidden?.(Object.fromEntries(written), isKnown) ?? []) {
    const place = [...withPath, ...partsOf(at)]
    const text = at === '' ? `${name}: ${message}` : message
    // A runbook may be written elsewhere than it runs. The run itself is refused all the same.
    const isElsewhere = children.family.connections?.hasNoFile === true
    const hint = isElsewhere ? `there is no opsbook.yaml here that could; ${allowHint}` : allowHint
    const finding = isElsewhere ? source.findings.warn : source.findings.add
    finding('COMMAND_NOT_ALLOWED', place, source.rangeOf(place), text, hint)
  }
}

const allowHint = 'allow it there, such as commands: { local: true, ssh: ["*.prod.example.com"] }'

/** `tools[2].params["a b"]` as keys and positions. */
function partsOf(at: string): JsonPath {
  return [...at.matchAll(placeParts)].map(([, position, quoted, key = '']) => {
    if (position !== undefined) return Number(position)
    return quoted === undefined ? key : JSON.parse(quoted)
  })
}

const placeParts = /\[(\d+)\]|\[("(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*")\]|([^.[\]]+)/gu

/** Keys of the step that only some actions can honour. */
function checkStepKeys(source: Source, action: ActionDescription, step: StepKeys, path: JsonPath): void {
  const add = (code: DiagnosticCode, key: string, message: string, hint?: string): void => {
    source.add(code, { key: [...path, key] }, message, hint)
  }
  if (action.savesFile === 'always' && step['save-as'] === undefined) {
    const message = `${action.name} writes a file: say where`
    add('MISSING_SAVE_AS', 'uses', message, 'such as save-as: session.ndjson')
  }
  if (action.batch === undefined && step.tolerate !== undefined)
    add('UNSUPPORTED_TOLERATE', 'tolerate', `${action.name} has no items that could fail one by one`)
}

function isOpen(value: unknown): boolean {
  if (typeof value === 'string') return isUnknownYet(value)
  return typeof value === 'object' && value !== null && Object.values(value).some(isOpen)
}

function validatorOf(action: ActionDescription): ValidateFunction {
  const known = validators.get(action)
  if (known) return known
  const compiled = compileOwn(action.input)
  validators.set(action, compiled)
  return compiled
}

/** Warns of values that fit and are still suspicious: deprecated, not listed, or close to a known name. */
function checkSuspicious(source: Source, schema: JsonSchema, value: unknown, path: JsonPath): void {
  const { properties, items, deprecated } = schema
  if (deprecated === true) {
    const message = `"${String(path.at(-1))}" is deprecated`
    source.warn('DEPRECATED_ARGUMENT', { key: path }, message, 'leave it out')
  }
  if (typeof value === 'string' && !isUnknownYet(value)) checkListed(source, schema, value, path)
  if (Array.isArray(value) && isJsonObject(items))
    for (const [index, item] of value.entries()) checkSuspicious(source, items, item, [...path, index])
  if (!isJsonObject(value) || !isJsonObject(properties)) return
  for (const [name, item] of Object.entries(value)) {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (isJsonObject(property)) checkSuspicious(source, property, item, [...path, name])
  }
}

/** Warns of headers that log a caller in, with a value that is written out. The value is not repeated. */
function checkHeaders(source: Source, { headers }: JsonObject, withPath: JsonPath): void {
  for (const [name, value] of isJsonObject(headers) ? Object.entries(headers) : []) {
    if (!/^(?:proxy-)?authorization$|api-?key$/i.test(name) || isOpen(value)) continue
    const scheme = /^(?:basic|bearer|token) /i.exec(String(value))?.[0]
    const prefix = scheme === undefined ? '' : `, prefix: "${scheme}"`
    const message = `the header ${name} holds a secret, and is written in the runbook`
    const hint = `declare a name under secrets, and write secret-headers: { ${name}: { secret: NAME${prefix} } }`
    source.warn('LITERAL_SECRET', [...withPath, 'headers', name], message, hint)
  }
}

function checkListed(source: Source, schema: JsonSchema, value: string, path: JsonPath): void {
  const warn = (code: DiagnosticCode, message: string, hint: string): void =>
    source.warn(code, path, message, hint)
  const known = schema['knownValues'] as readonly string[] | undefined
  if (known && !known.includes(value)) {
    const near = nearest(value, known)
    const hint =
      near === undefined
        ? `listed: ${known.map((one) => (one === '' ? '""' : one)).join(', ')}`
        : `did you mean "${near}"?`
    warn('UNLISTED_VALUE', `"${value}" is not among the listed values`, hint)
  }
  const limit = schema['knownMaxLength'] as number | undefined
  const length = limit === undefined ? 0 : [...value].length
  if (limit !== undefined && length > limit) {
    const message = `this has ${length} characters; the service's document allows ${limit}`
    warn('UNLISTED_VALUE', message, 'make it shorter, unless your service accepts more')
  }
  const names = schema['suggestions'] as readonly string[] | undefined
  const near = names?.includes(value) === false ? nearest(value, names) : undefined
  if (near === undefined) return
  warn('UNKNOWN_TOOL', `no known tool is called "${value}"`, `did you mean "${near}"?`)
}

/** Actions that send nothing: there is no attempt to limit, to repeat, or to send to some connection. */
const sendNothing: readonly string[] = builtinActions.map(({ name }) => name)
const keysOfCalls = ['connection', 'attempt-timeout', 'retry', 'throttle', 'repeat'] as const

/** The rules of the core's own actions that neither their schemas nor the values alone can say. */
function checkCoreCall(
  context: CompileContext,
  action: ActionDescription,
  step: StepKeys,
  given: unknown,
  path: JsonPath,
): void {
  const { source } = context
  const { name } = action
  const warn = (at: JsonPath, message: string, hint?: string): void =>
    source.warn('NO_EFFECT', { key: at }, message, hint)
  if (!sendNothing.includes(name)) return
  for (const key of keysOfCalls)
    if (step[key] !== undefined) warn([...path, key], `${name} sends nothing, so "${key}" changes nothing`)
  const values = isJsonObject(given) ? given : {}
  if (name === 'core/wait' && given !== undefined)
    checkWait(source, action, values, step.with === undefined ? path : [...path, 'with'])
  if (name === 'core/fail') checkFailCode(context, given, [...path, 'with'])
  if (name === 'core/approve' || name === 'core/ask') checkQuestion(context, values, [...path, 'with'])
}

/** Also where one of the two is an expression, their number is known. */
function checkWait(source: Source, action: ActionDescription, values: object, at: JsonPath): void {
  const count = ['for', 'until'].filter((key) => Object.hasOwn(values, key)).length
  if (count === 1 || (count === 0 && hasUnknown(action, values))) return
  const message = 'core/wait needs exactly one of for and until'
  source.add('WRONG_ARGUMENT', at, message)
}
