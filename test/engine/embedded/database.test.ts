import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openDatabase } from '../../../src/engine/embedded/database.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'opsbook-database-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

it('makes the directory and the tables, and opens them again', () => {
  const dataDir = join(folder, 'deep', 'er')
  openDatabase(dataDir).close()
  const database = openDatabase(dataDir)
  expect(database.prepare('SELECT count(*) AS count FROM runs').get()).toEqual({ count: 0 })
  expect(database.prepare('PRAGMA synchronous').get()).toEqual({ synchronous: 2 })
  expect(database.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' })
  database.close()
})

it('is readable by its owner only, also in a directory that is open to all', () => {
  chmodSync(folder, 0o755)
  const database = openDatabase(folder)
  database.exec("INSERT INTO runs VALUES ('r', 'n', 'h', '{}', '{}', 'running', NULL, NULL, 0, NULL)")
  for (const name of ['opsbook.db', 'opsbook.db-wal', 'opsbook.db-shm']) {
    expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600)
  }
  database.close()
})

it('refuses a database of a newer version, and leaves it as it is', () => {
  const database = openDatabase(folder)
  database.exec('PRAGMA user_version = 99')
  database.close()
  const refusal = expect.objectContaining({
    code: 'DataDirUnusable',
    message: expect.stringContaining('newer'),
  })
  expect(() => openDatabase(folder)).toThrow(refusal)
  expect(() => openDatabase(folder)).toThrow(refusal)
})

it.each([
  { name: 'a file where the directory should be', dataDir: '/dev/null/x' },
  { name: 'a directory that cannot be written', dataDir: '/proc/opsbook' },
])('says what is wrong with $name', ({ dataDir }) => {
  expect(() => openDatabase(dataDir)).toThrow(
    expect.objectContaining({ code: 'DataDirUnusable', message: expect.stringContaining(dataDir) }),
  )
})

it('says that a file is no database', () => {
  writeFileSync(join(folder, 'opsbook.db'), 'not a database, but long enough to look like one'.repeat(100))
  expect(() => openDatabase(folder)).toThrow(expect.objectContaining({ code: 'DataDirUnusable' }))
})
