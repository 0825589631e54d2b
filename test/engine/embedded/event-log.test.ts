import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { TimedRunEvent } from 'opsbook'
import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { createCommitQueue } from '../../../src/engine/embedded/database/commit-queue.ts'
import { openDatabase } from '../../../src/engine/embedded/database/database.ts'
import { openEventLog, readEvents, readNewestEvents } from '../../../src/engine/embedded/tables/event-log.ts'

let database: DatabaseSyncInstance
beforeEach(() => {
  const dataDir = mkdtempSync(join(tmpdir(), 'opsbook-log-'))
  database = openDatabase(dataDir)
  database.exec('PRAGMA foreign_keys = OFF; CREATE TABLE notes (text TEXT UNIQUE) STRICT')
  onTestFinished(() => {
    database.close()
    rmSync(dataDir, { recursive: true })
  })
})

const event = (path: string): TimedRunEvent => ({
  run_id: 'run_1',
  at: '2026-01-01T00:00:00.000Z',
  type: 'items_counted',
  path,
  total: 1,
})
const started: TimedRunEvent = {
  run_id: 'run_1',
  at: '2026-01-01T00:00:00.000Z',
  type: 'run_started',
  runbook: 'test',
  steps: [],
}
const read = (after?: number, inside?: string): readonly string[] =>
  [...readEvents(database, 'run_1', after, inside)].map(
    ({ seq, event }) => `${seq} ${'path' in event ? event.path : event.type}`,
  )

it('numbers events once where a write beside them fails, so that each row is written on its own', () => {
  const queue = createCommitQueue(database)
  const log = openEventLog(database, queue, 'run_1')
  const note = (): void => void database.prepare("INSERT INTO notes VALUES ('x')").run()
  for (const path of ['a', 'b']) log(event(path))
  queue.batch(note)
  queue.batch(note)
  queue.flush()
  log(event('c'))
  queue.close()
  expect(queue.lost()).toMatchObject({ code: 'DataDirUnusable' })
  expect(read()).toEqual(['1 a', '2 b', '3 c'])
})

it('writes nothing after events of another process: two would have one number', () => {
  const [first, second] = [createCommitQueue(database), createCommitQueue(database)]
  const [one, other] = [openEventLog(database, first, 'run_1'), openEventLog(database, second, 'run_1')]
  for (const path of ['a', 'b', 'c']) one(event(path))
  for (const path of ['d', 'e']) other(event(path))
  first.close()
  second.close()
  expect(first.lost()).toBeUndefined()
  expect(second.lost()).toMatchObject({ message: expect.stringContaining('another process') })
  expect(read()).toEqual(['1 a', '2 b', '3 c'])
})

it('gives the events of a path and of the run itself, whatever shares a row with them', () => {
  const queue = createCommitQueue(database)
  const log = openEventLog(database, queue, 'run_1')
  const rows = [[started, event('a[1]')], [event('a[11]')], [event('a[1]/b'), event('c')], [started]]
  for (const row of rows) {
    for (const one of row) log(one)
    queue.flush()
  }
  queue.close()
  expect(read(0, 'a[1]')).toEqual(['1 run_started', '2 a[1]', '4 a[1]/b', '6 run_started'])
  expect(read(2, 'c')).toEqual(['5 c', '6 run_started'])
  const newest = [...readNewestEvents(database, 'run_1', '"path":"a[1]')].map(({ seq }) => seq)
  expect(newest).toEqual([5, 4, 3, 2, 1].filter((seq) => seq !== 3))
})
