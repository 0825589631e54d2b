import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { beforeAll, expect, test } from 'vitest'
import { limitedRunbook, startLimitedServer } from './support/limited-server.ts'
import { newFolder } from './support/opsbook.ts'
import { requireBuild, start } from './support/process.ts'

/** Two processes on one data directory, and the limits of an HTTP connection as a server counts them. */
beforeAll(requireBuild)

async function runTwice(folder: string, configuration: string): Promise<void> {
  writeFileSync(join(folder, 'opsbook.yaml'), `${configuration}data-dir: data\n`)
  const runs = ['a', 'b'].map((id) => start(['run', 'look.yaml', '--id', id], {}, folder).ended)
  for (const { code, stdout, stderr } of await Promise.all(runs)) expect(code, stdout + stderr).toBe(0)
}

test('no second has more requests than the limit', async () => {
  const folder = await newFolder({ 'look.yaml': limitedRunbook })
  const server = await startLimitedServer()
  await runTwice(folder, server.configuration('{ per-second: 4 }'))
  server.expectCounted(4)
}, 90_000)

test('a 429 pauses the requests of both', async () => {
  const folder = await newFolder({ 'look.yaml': limitedRunbook })
  const isPaused = (): boolean => {
    const database = new DatabaseSync(join(folder, 'data/limits.db'), { readOnly: true })
    const row = database.prepare('SELECT max(until_ms) AS until FROM pauses').get()
    database.close()
    return Number(row?.['until']) > 0
  }
  const server = await startLimitedServer({ refusesAt: 8, retryAfterS: 3, isPaused })
  await runTwice(folder, server.configuration('{ per-second: 500 }'))
  // Each of the runs has three requests under way; one of these was refused.
  server.expectPausedBut(5)
}, 90_000)
