import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openDatabase, schemaVersion } from '../../../src/engine/embedded/database/database.ts'
import { databaseSchema } from '../../../src/engine/embedded/database/schema.ts'
import { schemaNumber } from '../../../src/engine/embedded/database/schema-number.ts'

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
  database.exec("INSERT INTO plans VALUES ('p', '{}')")
  for (const name of ['opsbook.db', 'opsbook.db-wal', 'opsbook.db-shm']) {
    expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600)
  }
  database.close()
})

it('refuses a database with other tables, also those of an earlier commit, and leaves it as it is', () => {
  openDatabase(folder).close()
  for (const number of [9, 2_000_000_000]) {
    const other = new DatabaseSync(join(folder, 'opsbook.db'))
    other.exec(`PRAGMA user_version = ${number}`)
    other.close()
    const refusal = expect.objectContaining({
      code: 'DataDirUnusable',
      message: expect.stringContaining(`another version of Opsbook (schema ${number}`),
      next: expect.stringContaining(
        'name another data directory with --data-dir, to start with an empty one',
      ),
    })
    expect(() => openDatabase(folder)).toThrow(refusal)
    expect(() => openDatabase(folder)).toThrow(refusal)
  }
})

it('has another number for another schema', () => {
  expect(schemaNumber(`${databaseSchema} `)).not.toBe(schemaNumber(databaseSchema))
  expect(schemaVersion).toBe(schemaNumber(databaseSchema))
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

const hasLockTable = existsSync('/proc/locks')

// Closing a file drops every lock that the process holds on it, those of SQLite included: another process could then take
// itself for the only one.
it.skipIf(!hasLockTable)('keeps its locks when it is opened a second time in one process', () => {
  const file = join(folder, 'opsbook.db')
  const first = openDatabase(folder)
  first.exec("INSERT INTO plans VALUES ('p', '{}')")
  const locks = (): number => {
    const of = [` ${process.pid} `, `:${statSync(file).ino} `]
    return readFileSync('/proc/locks', 'utf8')
      .split('\n')
      .filter((line) => of.every((part) => line.includes(part))).length
  }
  expect(locks()).toBe(1)
  openDatabase(folder).close()
  expect(locks()).toBe(1)
  first.close()
})
