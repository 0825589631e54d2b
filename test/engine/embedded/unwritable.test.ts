import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface, type Interface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { DatabaseSync } from '@photostructure/sqlite'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { retryStart } from '../../support/retry-start.ts'
import { bundleScripts } from './support/bundle-scripts.ts'
import { createStage } from './support/stage.ts'

const notHere = process.platform === 'win32' ? ' (skipped: this system has no users as meant)' : ''

/** What a user without rights reads in a read-only folder. */
async function readThere(dataDir: string, fileMode = 0o444): Promise<unknown> {
  for (const entry of ['.', ...readdirSync(dataDir, { recursive: true, encoding: 'utf8' })]) {
    const path = join(dataDir, entry)
    chmodSync(path, statSync(path).isDirectory() ? 0o555 : fileMode)
  }
  onTestFinished(() => chmodSync(dataDir, 0o755))
  const [line] = await Promise.all([once(lines, 'line'), reader.stdin.write(`${dataDir}\n`)])
  return JSON.parse(String(line))
}

let reader: ChildProcessByStdio<Writable, Readable, null>
let lines: Interface
beforeAll(async () => {
  const file = new URL('./support/read-as-nobody.ts', import.meta.url)
  const { script } = await retryStart(() => bundleScripts({ script: file }))
  reader = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'inherit'] })
  lines = createInterface(reader.stdout)
})
afterAll(async () => {
  reader.stdin.end()
  await once(reader, 'exit')
})

const step = '  - { id: work, uses: note/make, with: { name: work } }\n'

describe.skipIf(notHere !== '')(`a data directory in which nothing can be written${notHere}`, () => {
  it('is read as it stands', async () => {
    const stage = createStage()
    await stage.run(step)
    // As the last process leaves it that closes it.
    stage.rows('PRAGMA wal_checkpoint(TRUNCATE)')
    for (const side of ['-wal', '-shm']) rmSync(join(stage.dataDir, `opsbook.db${side}`), { force: true })
    expect(await readThere(stage.dataDir)).toEqual({ statuses: ['succeeded'], hasEvents: true })
  })

  it('is read with what another process is writing', async () => {
    const stage = createStage()
    const other = new DatabaseSync(join(stage.dataDir, 'opsbook.db'))
    onTestFinished(() => other.close())
    await stage.run(step)
    other.exec('SELECT 1 FROM sqlite_schema')
    await stage.run(step)
    expect(readdirSync(stage.dataDir)).toContain('opsbook.db-wal')
    expect(await readThere(stage.dataDir)).toEqual({ statuses: ['succeeded', 'succeeded'], hasEvents: true })
  })

  it('says what is missing where not all of it can be read', async () => {
    const stage = createStage()
    const other = new DatabaseSync(join(stage.dataDir, 'opsbook.db'))
    onTestFinished(() => other.close())
    await stage.run(step)
    rmSync(join(stage.dataDir, 'opsbook.db-shm'))
    expect(await readThere(stage.dataDir)).toMatchObject({
      code: 'DataDirUnusable',
      message: expect.stringContaining('opsbook.db-wal'),
    })
  })

  it('says that it is for another system user', async () => {
    const stage = createStage()
    await stage.run(step)
    expect(await readThere(stage.dataDir, 0o400)).toMatchObject({
      code: 'DataDirUnusable',
      message: expect.stringMatching(/the system user \S+ may not read \S+opsbook.db/),
    })
  })

  it('says that it was written by another version', async () => {
    const stage = createStage()
    await stage.run(step)
    stage.execute('PRAGMA user_version = 1')
    expect(await readThere(stage.dataDir)).toMatchObject({
      code: 'DataDirUnusable',
      message: expect.stringContaining('another version'),
    })
  })
})
