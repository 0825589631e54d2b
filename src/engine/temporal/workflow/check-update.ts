import { ApplicationFailure } from '@temporalio/workflow'
import { RunbookError } from '../../../core/run-error.ts'
import type { UpdateRefusal } from '../messages.ts'

/** Checks what somebody tells a run. What is thrown reaches them with its code, and with what they can do next. */
export function checkUpdate(check: () => void): void {
  try {
    check()
  } catch (thrown) {
    if (!RunbookError.is(thrown)) throw thrown
    const { code, message, next } = thrown
    const refusal: UpdateRefusal = { code, ...(next === undefined ? {} : { next }) }
    throw ApplicationFailure.create({ message, type: code, nonRetryable: true, details: [refusal] })
  }
}
