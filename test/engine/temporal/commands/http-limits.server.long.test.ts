import { beforeAll, expect, test } from 'vitest'
import { limitedRunbook, startLimitedServer } from '../../../cli/support/limited-server.ts'
import { requireBuild, start } from '../../../cli/support/process.ts'
import { enginesOfTest } from './open-engines.ts'

/** Two workers in processes of their own, and the limits of an HTTP connection as a server counts them. */
beforeAll(requireBuild)

async function runOnTwoWorkers(configuration: string): Promise<void> {
  const engines = await enginesOfTest(
    { 'look.yaml': limitedRunbook },
    { hasWorker: false, more: `${configuration}engine: temporal\n` },
  )
  const workers = [1, 2].map(() => start(['worker'], engines.env, engines.folder))
  await Promise.all(workers.map((worker) => worker.until('stdout', 'worker ready')))
  const runs = await Promise.all([
    engines.temporal(['run', 'look.yaml']),
    engines.temporal(['run', 'look.yaml']),
  ])
  for (const { code, stdout, stderr } of runs) expect(code, stdout + stderr).toBe(0)
  for (const { child } of workers) child.kill('SIGTERM')
  await Promise.all(workers.map(({ ended }) => ended))
}

test('no second has more requests than the limit', async () => {
  const server = await startLimitedServer()
  await runOnTwoWorkers(server.configuration('{ per-second: 4 }'))
  server.expectCounted(4)
}, 240_000)

test('a 429 pauses the requests of both', async () => {
  const server = await startLimitedServer({ refusesAt: 8, retryAfterS: 30 })
  await runOnTwoWorkers(server.configuration('{ per-second: 500 }'))
  server.expectPaused(20_000)
}, 240_000)
