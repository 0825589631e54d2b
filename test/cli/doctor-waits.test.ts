import { expect, test } from 'vitest'
import { waitingChecks } from '../../src/cli/doctor/check-temporal.ts'

test('doctor names the items of calls that wait on workers, the longest wait first', async () => {
  const wait = (path: string, minutes: number) => ({
    path,
    action: 'test/call',
    reason: 'budget' as const,
    since: new Date(Date.now() - minutes * 60_000).toISOString(),
  })
  const runs = [
    { runId: 'run_1', waiting: [wait('hosts[0]/check', 2)] },
    { runId: 'run_2', waiting: [wait('one', 5)] },
  ]
  const [check] = await waitingChecks(runs, async (_, path) => (path === 'one' ? path : `${path} (web-01)`))
  expect(check).toMatchObject({
    status: 'warn',
    message: '2 attempts have waited for over a minute',
    hints: [
      expect.stringMatching(/^run_2 one waits for the rate limit/),
      expect.stringMatching(/^run_1 hosts\[0\]\/check \(web-01\) waits for the rate limit/),
    ],
  })
})
