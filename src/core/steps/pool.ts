import { errorData } from '../run-error.ts'

/**
 * Runs `body` for 0 … count-1, at most `size` at a time, in order. Waits for all before it rejects, and then with
 * an unknown outcome rather than with anything else.
 */
export async function runPool(
  size: number,
  count: number,
  body: (index: number) => Promise<void>,
): Promise<void> {
  let next = 0
  let hasFailed = false
  const worker = async (): Promise<void> => {
    while (next < count && !hasFailed) {
      try {
        await body(next++)
      } catch (thrown) {
        hasFailed = true
        throw thrown
      }
    }
  }
  const settled = await Promise.allSettled(Array.from({ length: Math.min(size, count) }, worker))
  const reasons = settled.flatMap((result): unknown[] =>
    result.status === 'rejected' ? [result.reason] : [],
  )
  const unknown = reasons.find((reason) => errorData(reason).code === 'OutcomeUnknown')
  if (reasons.length > 0) throw unknown ?? reasons[0]
}
