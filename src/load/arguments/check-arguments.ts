import type { ValidateFunction } from 'ajv'
import type { ActionDescription } from '../../core/action.ts'
import type { DiagnosticCode } from '../../core/diagnostic.ts'
import { isJsonObject, type JsonObject } from '../../core/json.ts'
import { withSecrets } from '../../core/secrets.ts'
import { compileOwn } from '../ajv.ts'
import { hasMisspelled } from '../check-kinds.ts'
import { hintOf } from '../check-shape.ts'
import type { CompileContext } from '../compile/context.ts'
import type { TakenSecrets } from '../compile/secrets.ts'
import type { Compiled } from '../compile/template.ts'
import { type JsonPath, valueAt } from '../json-path.ts'
import type { StepKeys } from '../runbook-document.ts'
import { type ShapeProblem, schemaProblems, type WholeWords } from '../schema-problems.ts'
import type { Source } from '../source.ts'
import { isUndecided } from '../yaml/unreadable.ts'
import { checkActionTimes } from './check-action-times.ts'
import { checkCoreCall } from './check-core-call.ts'
import { checkSuspicious } from './check-suspicious.ts'
import { checkTypes } from './check-types.ts'

const validators = new WeakMap<ActionDescription, ValidateFunction>()

const codes: Readonly<Record<ShapeProblem['code'], DiagnosticCode>> = {
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
    const problems = schemaProblems(validatorOf(action), values, [], wordsOf(action)).filter(
      (one) => !isSecret(one.path, taken),
    )
    for (const problem of problems) addProblem(source, problem, withPath)
    if (problems.length === 0) checkRules(source, action, values, withPath, taken)
    checkSuspicious(source, action.input, values, withPath)
  }
  checkTypes(source, action.input, compiled, values, withPath)
  checkStepKeys(source, action, step, path)
  checkActionTimes(context, action, step, path)
  checkCoreCall(source, action, step, values, path)
}

function addProblem(source: Source, problem: ShapeProblem, withPath: JsonPath): void {
  const path = [...withPath, ...problem.path]
  const range = problem.isAboutKey ? source.rangeOfKey(path) : source.rangeOf(path)
  source.findings.add(codes[problem.code], path, range, problem.message, hintOf(source, { ...problem, path }))
}

function wordsOf({ name }: ActionDescription): WholeWords {
  return { whole: name, inWhole: name, key: 'argument' }
}

/** Arguments under a misspelled key have been told about; they are not missing as well. */
function isElsewhere({ value }: Source, step: StepKeys, path: JsonPath): boolean {
  if (step.with !== undefined) return false
  const written = valueAt(value, path)
  return isJsonObject(written) && hasMisspelled('step', written, ['with'])
}

/** A word where a secret will stand, so that what is required is there. */
function withPlaceholders({ rest, fields }: TakenSecrets): unknown {
  const positions = fields.map((path) => ({ path, name: '' }))
  return isJsonObject(rest) ? withSecrets(rest, positions, () => 'secret') : rest
}

/** What is found about the placeholder says nothing about the secret. */
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
    const place = [...withPath, ...partsOf(at)]
    const text = at === '' ? `${action.name} ${message}` : `"${at}" ${message}`
    source.findings.add('WRONG_ARGUMENT', place, source.rangeOf(place), text)
  }
}

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
    const place = [...path, key]
    source.findings.add(code, place, source.rangeOfKey(place), message, hint)
  }
  if (action.savesFile === 'always' && step['save-as'] === undefined) {
    const message = `${action.name} writes a file: say where`
    add('MISSING_SAVE_AS', 'uses', message, 'such as save-as: session.ndjson')
  }
  if (action.usesNoConnection && step.connection !== undefined) {
    const at = [...path, 'connection']
    const message = `${action.name} uses no connection, so "connection" changes nothing`
    source.findings.warn('NO_EFFECT', at, source.rangeOfKey(at), message)
  }
  if (action.batch === undefined && step.tolerate !== undefined) {
    add('UNSUPPORTED_TOLERATE', 'tolerate', `${action.name} has no items that could fail one by one`)
  }
}

function isOpen(value: unknown): boolean {
  if (typeof value === 'string') return isUndecided(value)
  return typeof value === 'object' && value !== null && Object.values(value).some(isOpen)
}

function validatorOf(action: ActionDescription): ValidateFunction {
  const known = validators.get(action)
  if (known) return known
  const compiled = compileOwn(action.input)
  validators.set(action, compiled)
  return compiled
}
