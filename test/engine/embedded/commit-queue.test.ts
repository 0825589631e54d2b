import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { type CommitQueue, createCommitQueue } from '../../../src/engine/embedded/database/commit-queue.ts'
import { openDatabase } from '../../../src/engine/embedded/database/database.ts'
import { createStage, type Stage } from './support/stage.ts'

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
  queue.batch(note('a'))
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
  queue.batch(note('a'))
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
  expect(queue.lost()).toBeUndefined()
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

it('commits a batched write where nothing else is written', async () => {
  const queue = openQueue()
  queue.batch(note('a'))
  expect(notes()).toEqual([])
  await expect.poll(notes).toEqual(['a'])
})

it('reports the first batched write that failed, and makes the others', async () => {
  const queue = openQueue()
  queue.batch(note('a'))
  queue.batch(note('a'))
  await queue.append(note('b'))
  expect(notes()).toEqual(['a', 'b'])
  expect(queue.lost()).toMatchObject({ code: 'DataDirUnusable' })
})

it('has SQLite sync every commit', async () => {
  const queue = openQueue()
  const modes: unknown[] = []
  const readMode = (): void => void modes.push(database.prepare('PRAGMA synchronous').get()?.['synchronous'])
  queue.batch(readMode)
  await expect.poll(() => modes.length).toBe(1)
  await Promise.all([queue.append(readMode), queue.append(readMode)])
  const full = 2
  expect(modes).toEqual([full, full, full])
})

it('commits what is queued when it closes, and takes no more', async () => {
  const queue = createCommitQueue(database)
  queue.batch(note('a'))
  const awaited = queue.append(note('b'))
  queue.close()
  expect(notes()).toEqual(['a', 'b'])
  await awaited
  queue.batch(note('c'))
  await expect(queue.append(note('d'))).rejects.toMatchObject({ code: 'DataDirUnusable' })
  expect(notes()).toEqual(['a', 'b'])
})

it.each([
  { action: 'note/make', kind: 'create', commits: 2 },
  { action: 'note/put', kind: 'idempotent write', commits: 2 },
  { action: 'note/read', kind: 'read', commits: 1 },
])('needs $commits commits for a call, events included: $kind', async ({ action, commits }) => {
  const stage = createStage()
  const steps = `  - { id: each, for-each: { items: "\${{ inputs.items }}" }, uses: ${action}, with: { name: x } }\n`
  const commitsOf = async (items: number): Promise<number> => {
    const keep = openDatabase(stage.dataDir)
    const before = countCommits(stage.dataDir)
    await stage.run(steps, { inputs: { items: Array.from({ length: items }, (_, index) => index) } })
    const made = countCommits(stage.dataDir) - before
    keep.close()
    return made
  }
  const [few, many] = [await commitsOf(2), await commitsOf(22)]
  expect(many - few).toBe(commits * 20)
})

describe('the intent of a call', () => {
  const steps = ['make', 'put', 'read']
    .map((name) => `  - { id: ${name}, uses: note/${name}, with: { name: x } }\n`)
    .join('')
  const intentsOf = (stage: Stage) => stage.rows('SELECT action FROM attempts WHERE ended_at IS NULL')

  it('is on disk before the call, if it is a write', async () => {
    const stage = createStage()
    const intents: unknown[] = []
    stage.answer = () => {
      intents.push(...intentsOf(stage))
      return {}
    }
    await stage.run(steps)
    expect(intents).toEqual([{ action: 'note/make' }, { action: 'note/put' }])
  })

  it('is recorded within 100 ms, if it is a read', async () => {
    const stage = createStage()
    stage.answer = async ({ safety }) => {
      if (safety === 'read') await expect.poll(() => intentsOf(stage)).toEqual([{ action: 'note/read' }])
      return {}
    }
    expect(await stage.run(steps)).toMatchObject({ status: 'succeeded' })
  })

  it('is on disk before a read in a run that is resumed after a crash: the read may have caused it', async () => {
    const stage = createStage()
    const first = await stage.start(steps)
    stage.answer = ({ safety }) => {
      if (safety === 'read') first.interrupt()
      return {}
    }
    await first.result
    stage.execute("DELETE FROM attempts WHERE action = 'note/read'")
    const intents: unknown[] = []
    stage.answer = () => {
      intents.push(...intentsOf(stage))
      return {}
    }
    await stage.resume(first.runId, { isAutomatic: true })
    expect(intents).toEqual([{ action: 'note/read' }])
  })

  it('ends the run where that of a read was lost: nothing may follow from a result without a row', async () => {
    const stage = createStage()
    const first = await stage.start(
      '  - { id: look, uses: note/read, with: { name: x } }\n  - { id: then, uses: note/make, with: { name: y } }\n',
    )
    stage.execute(
      `CREATE TRIGGER full BEFORE INSERT ON attempts WHEN new.action = 'note/read'
       BEGIN SELECT RAISE(ABORT, 'disk is full'); END`,
    )
    expect(await first.result).toMatchObject({ status: 'failed', error: { code: 'DataDirUnusable' } })
    expect(stage.calls).toEqual(['read x'])
  })
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
