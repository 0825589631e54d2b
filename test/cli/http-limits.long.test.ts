import { beforeAll, expect, test } from 'vitest'
import { limitedRunbook, startLimitedServer } from './support/limited-server.ts'
import { newFolder } from './support/opsbook.ts'
import { requireBuild, start } from './support/process.ts'

/** Two processes on one data directory, and the limits of an HTTP connection as a server counts them. */
beforeAll(requireBuild)

async function runTwice(configuration: string): Promise<void> {
  const folder = await newFolder({
    'look.yaml': limitedRunbook,
    'opsbook.yaml': `${configuration}data-dir: data\n`,
  })
  const runs = ['a', 'b'].map((id) => start(['run', 'look.yaml', '--id', id], {}, folder).ended)
  for (const { code, stdout, stderr } of await Promise.all(runs)) expect(code, stdout + stderr).toBe(0)
}

test('no second has more requests than the limit', async () => {
  const server = await startLimitedServer()
  await runTwice(server.configuration('{ per-second: 4 }'))
  server.expectCounted(4)
}, 90_000)

test('a 429 pauses the requests of both', async () => {
  const server = await startLimitedServer({ refusesAt: 8, retryAfterS: 3 })
  await runTwice(server.configuration('{ per-second: 500 }'))
  server.expectPaused(300)
}, 90_000)
