import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { openRunReader } from 'opsbook'
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
  database.exec("INSERT INTO plans VALUES ('p', '{}')")
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

it('brings a database of version 1 up to date, with everything in it', () => {
  const old = new DatabaseSync(join(folder, 'opsbook.db'))
  old.exec(readFileSync(new URL('./version-1.sql', import.meta.url), 'utf8'))
  old.close()
  const reader = openRunReader(folder)
  expect(reader?.listRuns()).toMatchObject([
    { run_id: 'run_2', status: 'interrupted', labels: {} },
    {
      run_id: 'run_1',
      runbook: 'onboard',
      title: 'Onboard',
      labels: { team: 'web' },
      status: 'failed',
      error: { code: 'AccessDenied' },
    },
  ])
  expect(reader?.readRun('run_1')).toMatchObject({
    inputs: { name: 'shop' },
    plan: { name: 'onboard', hash: 'abc' },
    warnings: [],
    steps: [
      { path: 'made', status: 'succeeded', attempts: 1 },
      { path: 'rules', status: 'failed', attempts: 2, error: { code: 'AccessDenied' } },
    ],
  })
  expect([...(reader?.readAttempts('run_1') ?? [])]).toMatchObject([
    {
      path: 'made',
      attempt: 1,
      status: 'succeeded',
      output: { application_id: 'app_1' },
      request_id: 'req_1',
    },
    { path: 'rules', attempt: 1, status: 'failed' },
    { path: 'rules', attempt: 2, status: 'failed' },
  ])
  reader?.close()
  const database = openDatabase(folder)
  expect(database.prepare('PRAGMA foreign_key_check').all()).toEqual([])
  expect(database.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
  expect(database.prepare('PRAGMA foreign_keys').get()).toEqual({ foreign_keys: 1 })
  database.close()
})

it('has the tables of a new database after every migration', () => {
  const tables = (dataDir: string): unknown => {
    const database = openDatabase(dataDir)
    try {
      return database
        .prepare("SELECT name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY name")
        .all()
        .map(({ name, sql }) => [name, String(sql).replaceAll(/\s+/g, ' ')])
    } finally {
      database.close()
    }
  }
  const old = new DatabaseSync(join(folder, 'opsbook.db'))
  old.exec(readFileSync(new URL('./version-1.sql', import.meta.url), 'utf8'))
  old.close()
  expect(tables(folder)).toEqual(tables(join(folder, 'new')))
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
