import type { InputProblem } from '../../core/action.ts'
import type { AnyOperation } from '../operations/operation.ts'
import { type CheckedInput, checkInput, invalidInput } from '../validation/check-input.ts'
import type { AttemptOptions } from './answer.ts'

/** Checks the input and the options of one call together. Throws `InvalidInput` with all problems. */
export function checkCall(
  operation: AnyOperation,
  input: unknown,
  options: AttemptOptions,
  maxItems?: number,
): CheckedInput {
  const checked = checkInput(operation, input, maxItems)
  const ofOptions = optionProblems(operation, options)
  if (checked.problems.length === 0 && ofOptions.length === 0) return checked
  throw invalidInput(operation.name, [...checked.problems, ...ofOptions])
}

function optionProblems(
  { minimumTimeoutMs = 1, savesFile }: AnyOperation,
  { timeoutMs, priority, file, signal, signalBeforeSending }: AttemptOptions,
): readonly InputProblem[] {
  const problems: InputProblem[] = []
  if (timeoutMs !== undefined) {
    const isTime = Number.isFinite(timeoutMs) && timeoutMs >= minimumTimeoutMs
    if (!isTime)
      problems.push({ path: 'timeoutMs', message: `must be at least ${minimumTimeoutMs} milliseconds` })
  }
  if (priority !== undefined && !Number.isFinite(priority))
    problems.push({ path: 'priority', message: 'must be a finite number' })
  if (!isSignal(signal)) problems.push({ path: 'signal', message: noSignal })
  if (!isSignal(signalBeforeSending)) problems.push({ path: 'signalBeforeSending', message: noSignal })
  if (savesFile === 'always' && (typeof file !== 'string' || file === ''))
    problems.push({ path: 'file', message: 'is required: where the record is written' })
  return problems
}

const noSignal = 'must be an AbortSignal'

function isSignal(value: unknown): boolean {
  return value === undefined || value instanceof AbortSignal
}
