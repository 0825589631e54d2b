import { type CallbackAddresses, callbackNames } from '../../core/hooks/index.ts'
import type { RunContext } from '../../core/interpret.ts'
import type { Plan } from '../../core/plan/index.ts'

/** The id of each run of a test. */
export const testRunId = 'run_1'

/** What the runs of tests know of themselves. */
export function testFacts(plan: Plan): Partial<RunContext> {
  const callbacks: CallbackAddresses = Object.fromEntries(
    callbackNames(plan).map((name) => [name, `https://callbacks.test/${name}`]),
  )
  return { id: testRunId, callbacks, url: `https://console.test/runs/${testRunId}` }
}
