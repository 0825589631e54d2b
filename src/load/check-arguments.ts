import type { ActionDescription } from '../core/action.ts'
import type { DiagnosticCode } from '../core/diagnostic.ts'
import { formatDuration, parseDuration } from '../core/duration.ts'
import { isJsonObject } from '../core/json.ts'
import { compileOwn, type ShapeProblem, schemaProblems } from './check-shape.ts'
import type { JsonPath } from './json-path.ts'
import type { StepKeys } from './runbook-document.ts'
import { hasExpression } from './segments.ts'
import type { Source } from './source.ts'

const codes: Readonly<Record<ShapeProblem['code'], DiagnosticCode>> = {
  UNKNOWN_KEY: 'UNKNOWN_ARGUMENT',
  MISSING_KEY: 'MISSING_ARGUMENT',
  WRONG_TYPE: 'WRONG_ARGUMENT',
  WRONG_VALUE: 'WRONG_ARGUMENT',
  INVALID_DURATION: 'WRONG_ARGUMENT',
}

/** Checks what a step gives to its action, as far as it is written out. Expressions are checked before the call. */
export function checkArguments(
  source: Source,
  action: ActionDescription,
  step: StepKeys,
  path: JsonPath,
): void {
  const given = step.with ?? {}
  const withPath = step.with === undefined ? path : [...path, 'with']
  if (typeof given !== 'string') {
    const problems = schemaProblems(compileOwn(action.input), given)
    for (const problem of problems) addProblem(source, action, problem, withPath)
    if (problems.length === 0 && isWrittenOut(given)) {
      for (const { path: at, message } of action.check?.(given) ?? []) {
        const place = [...withPath, ...(at === '' ? [] : at.split('.'))]
        source.findings.add('WRONG_ARGUMENT', place, source.rangeOf(place), `"${at}" ${message}`)
      }
    }
  }
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
  const about = problem.path.length === 0 || problem.isAboutKey
  const message = about
    ? problem.message
        .replace('the runbook', action.name)
        .replace('in a runbook', `in ${action.name}`)
        .replace('key', 'argument')
    : problem.message
  source.findings.add(codes[problem.code], path, range, message, problem.hint)
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
  if (action.savesFile !== 'always' && step['save-as'] !== undefined) {
    add('UNSUPPORTED_SAVE_AS', 'save-as', `${action.name} writes no file`)
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

function isWrittenOut(value: unknown): value is Parameters<NonNullable<ActionDescription['check']>>[0] {
  return isJsonObject(value) && !holdsExpression(value)
}

function holdsExpression(value: unknown): boolean {
  if (typeof value === 'string') return hasExpression(value)
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsExpression)
}
