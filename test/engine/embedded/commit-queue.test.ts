import { mkdtempSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { type CommitQueue, createCommitQueue } from '../../../src/engine/embedded/commit-queue.ts'
import { openDatabase } from '../../../src/engine/embedded/database.ts'
import { createStage } from './support/stage.ts'

let dataDir: string
let database: DatabaseSyncInstance
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'opsbook-queue-'))
  database = openDatabase(dataDir)
  database.exec('CREATE TABLE notes (text TEXT UNIQUE) STRICT')
  onTestFinished(() => {
    database.close()
    rmSync(dataDir, { recursive: true })
  })
})

/** Closed before the database. */
function openQueue(): CommitQueue {
  const queue = createCommitQueue(database)
  onTestFinished(() => queue.close())
  return queue
}

/** How many transactions the write-ahead log of a database holds: the last page of each says how large the file is then. */
function countCommits(folder: string): number {
  const log = readFileSync(join(folder, 'opsbook.db-wal'))
  const pageBytes = log.readUInt32BE(8)
  const salt = log.subarray(16, 24)
  let commits = 0
  for (let at = 32; at + 24 <= log.length; at += 24 + pageBytes) {
    if (!log.subarray(at + 8, at + 16).equals(salt)) break
    if (log.readUInt32BE(at + 4) > 0) commits++
  }
  return commits
}

const note = (text: string) => (): void =>
  void database.prepare('INSERT INTO notes (text) VALUES (?)').run(text)
const notes = (): readonly unknown[] =>
  database
    .prepare('SELECT text FROM notes ORDER BY rowid')
    .all()
    .map(({ text }) => text)

it('puts what is queued at the same time into one transaction, in its order', async () => {
  const queue = openQueue()
  const before = countCommits(dataDir)
  queue.ride(note('a'))
  await Promise.all([
    queue.append(note('b')),
    queue.append(note('c')),
    Promise.resolve().then(() => queue.append(note('d'))),
  ])
  expect(notes()).toEqual(['a', 'b', 'c', 'd'])
  expect(countCommits(dataDir) - before).toBe(1)
})

it('keeps apart a write that is refused: the others are made', async () => {
  const queue = openQueue()
  queue.ride(note('a'))
  const [first, second, third] = await Promise.allSettled([
    queue.append(note('b')),
    queue.append(note('a')),
    queue.append(note('c')),
  ])
  expect([first.status, second.status, third.status]).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(second).toMatchObject({
    reason: { code: 'DataDirUnusable', message: expect.stringContaining('UNIQUE') },
  })
  expect(notes()).toEqual(['a', 'b', 'c'])
  expect(queue.lost).toBeUndefined()
})

it('keeps in mind what nobody waited for and could not be written', async () => {
  const queue = openQueue()
  queue.ride(note('a'))
  queue.ride(note('a'))
  await queue.append(note('b'))
  expect(notes()).toEqual(['a', 'b'])
  expect(queue.lost).toMatchObject({ code: 'DataDirUnusable' })
})

it('refuses everything at once when another process holds the database', async () => {
  database.exec('PRAGMA busy_timeout = 1')
  const other = openDatabase(dataDir)
  other.exec('BEGIN IMMEDIATE')
  const queue = openQueue()
  const settled = await Promise.allSettled(['a', 'b', 'c'].map((text) => queue.append(note(text))))
  expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  other.exec('ROLLBACK')
  other.close()
  await queue.append(note('a'))
  expect(notes()).toEqual(['a'])
})

it('says of nothing that it is on disk where the log cannot be put there', async () => {
  const queue = openQueue()
  rmSync(join(dataDir, 'opsbook.db-wal'))
  const settled = await Promise.allSettled([queue.append(note('a')), queue.append(note('b'))])
  expect(settled).toMatchObject([
    { reason: { code: 'DataDirUnusable' } },
    { reason: { code: 'DataDirUnusable' } },
  ])
})

it('waits for no disk where a write has only to outlive the process', async () => {
  const queue = openQueue()
  rmSync(join(dataDir, 'opsbook.db-wal'))
  await Promise.all([queue.enter(note('a')), queue.enter(note('b'))])
  expect(notes()).toEqual(['a', 'b'])
})

it('writes what comes while others are being put on disk, after them', async () => {
  const queue = openQueue()
  const before = countCommits(dataDir)
  const first = [queue.append(note('a')), queue.append(note('b'))]
  await new Promise((resolve) => setImmediate(resolve))
  const second = [queue.enter(note('c')), queue.append(note('d'))]
  await Promise.all([...first, ...second])
  expect(notes()).toEqual(['a', 'b', 'c', 'd'])
  expect(countCommits(dataDir) - before).toBe(2)
})

it('writes what waits for nothing to go along with by itself', async () => {
  const queue = openQueue()
  queue.ride(note('a'))
  await expect.poll(notes).toEqual(['a'])
})

it('keeps what is gathered out of small transactions, until there is more of it or it is asked for', async () => {
  const queue = openQueue()
  queue.gather(note('a'))
  await queue.append(note('b'))
  expect(notes()).toEqual(['b'])
  for (const text of ['c', 'd', 'e']) queue.gather(note(text))
  await queue.append(note('f'))
  expect(notes()).toEqual(['b', 'a', 'c', 'd', 'e', 'f'])
  queue.gather(note('g'))
  queue.flush()
  expect(notes()).toContain('g')
})

it('writes what is gathered by itself after a moment', async () => {
  const queue = openQueue()
  queue.gather(note('a'))
  await expect.poll(notes).toEqual(['a'])
})

it('tells whoever gathered what could not be written', async () => {
  const queue = openQueue()
  const lost: string[] = []
  queue.gather(note('a'))
  queue.gather(note('a'), () => lost.push('a'))
  queue.flush()
  expect(lost).toEqual(['a'])
  expect(queue.lost).toMatchObject({ code: 'DataDirUnusable' })
})

it('takes two commits for a call, and no more for all that is told of it', async () => {
  const stage = createStage()
  const steps = `  - { id: each, for-each: { items: "\${{ inputs.items }}" }, uses: note/make, with: { name: x } }\n`
  const commitsOf = async (items: number): Promise<number> => {
    const keep = openDatabase(stage.dataDir)
    const before = countCommits(stage.dataDir)
    await stage.run(steps, { inputs: { items: Array.from({ length: items }, (_, index) => index) } })
    const commits = countCommits(stage.dataDir) - before
    keep.close()
    return commits
  }
  const [few, many] = [await commitsOf(2), await commitsOf(22)]
  expect(many - few).toBe(2 * 20)
})

it('takes two commits for calls that begin and end together', async () => {
  const stage = createStage()
  const keep = openDatabase(stage.dataDir)
  const before = countCommits(stage.dataDir)
  await stage.run(
    `  - { id: each, for-each: { items: "\${{ inputs.items }}", max-parallel: 50 }, uses: note/make, with: { name: x } }\n`,
    { inputs: { items: Array.from({ length: 50 }, (_, index) => index) } },
  )
  expect(countCommits(stage.dataDir) - before).toBeLessThan(10)
  keep.close()
})

it('a log that could not be put on disk is tried anew, from the database itself', async () => {
  const queue = openQueue()
  const log = join(dataDir, 'opsbook.db-wal')
  const write = (text: string) =>
    queue.append(() => {
      database.prepare('INSERT INTO notes VALUES (?)').run(text)
    })
  renameSync(log, join(dataDir, 'away'))
  const refused = await Promise.allSettled([write('a'), write('b')])
  renameSync(join(dataDir, 'away'), log)
  expect(refused.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  await Promise.all([write('c'), write('d')])
  // All of it is in the database: what the log was said to hold counts for nothing.
  expect(statSync(log).size).toBe(0)
  await write('e')
})

it('says of nothing that it is on disk while the log is in doubt, alone or in a group that is refused', async () => {
  const queue = openQueue()
  rmSync(join(dataDir, 'opsbook.db-wal'))
  await Promise.allSettled([queue.append(note('a')), queue.append(note('b'))])
  await expect(queue.append(note('alone'))).rejects.toMatchObject({ code: 'DataDirUnusable' })
  const settled = await Promise.allSettled(['c', 'c', 'd'].map((text) => queue.append(note(text))))
  expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
})

it('closes when what is being put on disk is there, and leaves out what is queued', async () => {
  const queue = createCommitQueue(database)
  const ended: string[] = []
  for (const text of ['a', 'b']) void queue.append(note(text)).then(() => ended.push(text))
  await new Promise((resolve) => setImmediate(resolve))
  for (const text of ['c', 'd']) void queue.append(note(text))
  await queue.close()
  expect(ended).toEqual(['a', 'b'])
  expect(notes()).toEqual(['a', 'b'])
})
