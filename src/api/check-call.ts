import type { InputProblem } from '../core/action.ts'
import type { AttemptOptions } from './answer.ts'
import { type CheckedInput, checkInput, invalidInput } from './check-input.ts'
import type { AnyOperation } from './operations/operation.ts'
import { longestTimerMs } from './waits.ts'

/** Checks the input and the options of one call together. Throws `InvalidInput` with all problems. */
export function checkCall(
  operation: AnyOperation,
  input: unknown,
  options: AttemptOptions,
  maxItems?: number,
): CheckedInput {
  const checked = checkInput(operation, input, maxItems)
  const problems = [...checked.problems, ...optionProblems(operation, options)]
  if (problems.length > 0) throw invalidInput(operation.name, problems)
  return checked
}

function optionProblems(
  { minimumTimeoutMs = 1, savesFile }: AnyOperation,
  { timeoutMs, priority, file, signal, signalBeforeSending }: AttemptOptions,
): readonly InputProblem[] {
  const problems: InputProblem[] = []
  if (timeoutMs !== undefined) {
    const isTime =
      typeof timeoutMs === 'number' && timeoutMs >= minimumTimeoutMs && timeoutMs <= longestTimerMs
    if (!isTime) {
      const message = `must be between ${minimumTimeoutMs} and ${longestTimerMs} milliseconds`
      problems.push({ path: 'timeoutMs', message })
    }
  }
  if (priority !== undefined && !Number.isFinite(priority)) {
    problems.push({ path: 'priority', message: 'must be a finite number' })
  }
  for (const [path, value] of Object.entries({ signal, signalBeforeSending })) {
    if (value === undefined || value instanceof AbortSignal) continue
    problems.push({ path, message: 'must be an AbortSignal' })
  }
  if (savesFile === 'always' && (typeof file !== 'string' || file === '')) {
    problems.push({ path: 'file', message: 'is required: where the record is written' })
  }
  return problems
}
