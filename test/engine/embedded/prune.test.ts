import { existsSync, mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type JsonObject, pruneRuns } from 'opsbook'
import { expect, it } from 'vitest'
import { openEventStore } from '../../../src/engine/embedded/index.ts'
import { systemUserNamed } from '../../support/identity.ts'
import { startChild } from './support/child.ts'
import { createStage, type Stage } from './support/stage.ts'

const tables = ['attempts', 'events', 'steps', 'first_reached', 'artifacts', 'questions'] as const
const tablesOfPeople = ['control_requests', 'decisions', 'taken_events', 'resumes', 'notices'] as const
const dayMs = 86_400_000
const now = Date.UTC(2026, 0, 31)
const endedBeforeMs = now - 10 * dayMs

/** A run of this many days ago, with a file. */
async function runOn(stage: Stage, daysAgo: number, name = 'old'): Promise<string> {
  const at = now - daysAgo * dayMs
  const text = `apiVersion: opsbook/v1
name: ${name}
steps:
  - { id: make, uses: note/make, with: { name: one } }
  - { id: file, uses: core/write, with: { content: "${'x'.repeat(5000)}" }, save-as: folder/file.txt }
  - { id: ask, uses: core/approve, with: { message: Good? } }
`
  const clock = { now: () => at, waitUntil: () => new Promise<void>((resolve) => setImmediate(resolve)) }
  const { run_id, status } = await stage.run(text, { clock, approve: 'all' })
  expect(status).toBe('succeeded')
  return run_id
}

const rowsOf = (stage: Stage, runId: string): readonly number[] =>
  tables.map((table) =>
    Number(stage.rows(`SELECT count(*) AS n FROM ${table} WHERE run_id = '${runId}'`)[0]?.['n']),
  )
const plans = (stage: Stage): number => stage.rows('SELECT id FROM plans').length
const ids = (stage: Stage): readonly string[] =>
  stage.rows('SELECT id FROM runs ORDER BY started_at').map(({ id }) => String(id))

it('removes runs that ended long ago, with rows, files and unused plans; others stay', async () => {
  const stage = createStage()
  const old = await runOn(stage, 20)
  const oldToo = await runOn(stage, 11)
  const young = await runOn(stage, 9)
  const other = await runOn(stage, 40, 'other')
  expect(rowsOf(stage, old).every((count) => count > 0)).toBe(true)

  const dry = await pruneRuns({ dataDir: stage.dataDir, endedBeforeMs, isDryRun: true })
  expect(dry.runs.map(({ run_id }) => run_id)).toEqual([other, old, oldToo])
  expect(ids(stage)).toHaveLength(4)

  const report = await pruneRuns({ dataDir: stage.dataDir, endedBeforeMs, runbook: 'old' })
  expect(report).toMatchObject({
    in_use: [],
    runs: [
      {
        run_id: old,
        runbook: 'old',
        status: 'succeeded',
        ended_at: '2026-01-11T00:00:00.000Z',
        artifact_bytes: 5000,
      },
      { run_id: oldToo },
    ],
  })
  expect(ids(stage)).toEqual([other, young])
  expect(rowsOf(stage, old)).toEqual(tables.map(() => 0))
  expect(rowsOf(stage, young)).not.toContain(0)
  expect(readdirSync(join(stage.dataDir, 'runs')).sort()).toEqual([young, other].sort())
  expect(existsSync(join(stage.dataDir, 'owners', `${old}.lock`))).toBe(false)
  expect(plans(stage)).toBe(2)
  await pruneRuns({ dataDir: stage.dataDir, endedBeforeMs })
  expect(plans(stage)).toBe(1)
  expect(stage.reader().readRun(young)).toMatchObject({ status: 'succeeded', artifacts: [{ bytes: 5000 }] })
})

it('leaves nothing of a run in any table', async () => {
  const stage = createStage()
  const old = await runOn(stage, 20)
  stage.execute(`
    INSERT INTO control_requests (run_id, kind, requested_by, requested_at) VALUES ('${old}', 'pause', '${JSON.stringify(systemUserNamed('ann'))}', 1);
    INSERT INTO decisions (run_id, path, decision, decided_by, decided_at, resumes) VALUES ('${old}', 'make', 'retry', 'ann', 1, 0);
    INSERT INTO resumes (run_id, number, resumed_by, resumed_at, plan_id_before) SELECT id, 1, 'ann', 1, plan_id FROM runs;
    INSERT INTO received_events (seq, hook, id, type, received_at) VALUES (1, 'ci', 'e1', 'incident', 1);
    INSERT INTO taken_events (event, run_id, path, taken_at) VALUES (1, '${old}', 'make', 1);
    INSERT INTO notices (id, run_id, target, kind, body, created_at, next_at) VALUES ('1', '${old}', 'env:X', 'k', '{}', 1, 1);
    INSERT INTO notices (id, target, kind, body, created_at, next_at, delivered_at) VALUES ('2', 'env:X', 'k', '{}', 1, 1, 2);
    INSERT INTO notices (id, target, kind, body, created_at, next_at) VALUES ('3', 'env:X', 'k', '{}', 1, 1)`)
  const ofRuns = stage
    .rows(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%REFERENCES runs %' ORDER BY name",
    )
    .map(({ name }) => name)
  expect(ofRuns, 'a new table is one more to remove from').toEqual([...tables, ...tablesOfPeople].sort())
  await pruneRuns({ dataDir: stage.dataDir, endedBeforeMs })
  for (const table of ofRuns)
    expect(stage.rows(`SELECT * FROM ${table} WHERE run_id IS NOT NULL`), String(table)).toEqual([])
  expect(stage.rows('SELECT id FROM notices')).toEqual([{ id: '3' }])
  expect(plans(stage)).toBe(0)
})

it('removes runs that cannot be resumed by default, all others only by status', async () => {
  const stage = createStage()
  const statuses = ['succeeded', 'failed', 'cancelled', 'unknown', 'interrupted', 'running'] as const
  for (const status of statuses) {
    const id = await runOn(stage, 20, status)
    // A process that died recorded no end; the time of its last event counts.
    const end = status === 'running' ? ', ended_at = NULL' : ''
    stage.execute(`UPDATE runs SET status = '${status}'${end} WHERE id = '${id}'`)
  }
  const names = (report: Awaited<ReturnType<typeof pruneRuns>>) =>
    report.runs.map(({ runbook }) => runbook).sort()
  const prune = (...status: readonly ('unknown' | 'interrupted')[]) =>
    pruneRuns({ dataDir: stage.dataDir, endedBeforeMs, ...(status.length === 0 ? {} : { status }) })
  expect(names(await prune())).toEqual(['cancelled', 'failed', 'succeeded'])
  expect(names(await prune('unknown'))).toEqual(['unknown'])
  expect(names(await prune('interrupted'))).toEqual(['interrupted', 'running'])
  expect(plans(stage)).toBe(0)
})

it('leaves a run that a living process executes, whatever the table says', async () => {
  const stage = createStage()
  const text =
    'apiVersion: opsbook/v1\nname: test\nsteps:\n  - { id: hang, uses: note/read, with: { name: hang } }\n'
  const callsFile = join(stage.dataDir, 'calls.txt')
  const child = startChild({ dataDir: stage.dataDir, callsFile, text, hangs: ['hang'] })
  await child.line(({ type }) => type === 'called')
  const [id] = ids(stage)
  const everything = {
    dataDir: stage.dataDir,
    endedBeforeMs: Date.now() + dayMs,
    status: ['interrupted'],
  } as const
  expect(await pruneRuns({ ...everything, isDryRun: true })).toMatchObject({ runs: [], in_use: [id] })
  expect(await pruneRuns(everything)).toMatchObject({ runs: [], in_use: [id] })
  expect(ids(stage)).toEqual([id])
  await child.kill()
  expect((await pruneRuns(everything)).runs).toMatchObject([{ run_id: id, status: 'interrupted' }])
})

it('finishes what one has left that was killed after the run was gone', async () => {
  const stage = createStage()
  const gone = await runOn(stage, 20)
  const young = await runOn(stage, 1)
  stage.execute(`PRAGMA foreign_keys = OFF; DELETE FROM runs WHERE id = '${gone}'; DELETE FROM steps`)
  const lock = join(stage.dataDir, 'owners', `${gone}.lock`)
  const justTaken = join(stage.dataDir, 'owners', 'run_20260131_000000_abcdef.lock')
  for (const file of [lock, justTaken]) writeFileSync(file, '')
  utimesSync(lock, 1, 1)
  mkdirSync(join(stage.dataDir, 'runs', 'notes-of-somebody'))
  expect((await pruneRuns({ dataDir: stage.dataDir, endedBeforeMs })).runs).toEqual([])
  expect(rowsOf(stage, gone)).toEqual(tables.map(() => 0))
  expect(readdirSync(join(stage.dataDir, 'runs')).sort()).toEqual(['notes-of-somebody', young])
  // A run takes its lock before it is recorded.
  expect([existsSync(lock), existsSync(justTaken)]).toEqual([false, true])
  expect(stage.reader().readRun(young)?.status).toBe('succeeded')
})

it('returns space to the system while a run continues', async () => {
  const stage = createStage()
  const file = join(stage.dataDir, 'opsbook.db')
  stage.answer = () => ({ text: 'x'.repeat(400_000) })
  const old = await Promise.all([20, 20, 20, 20, 20].map((days) => runOn(stage, days)))
  const report = pruneRuns({ dataDir: stage.dataDir, endedBeforeMs })
  const young = await runOn(stage, 1)
  expect((await report).runs.map(({ run_id }) => run_id).sort()).toEqual([...old].sort())
  expect((await report).database_bytes).toBeGreaterThan(1_000_000)
  stage.execute('PRAGMA wal_checkpoint(TRUNCATE)')
  expect(statSync(file).size).toBeLessThan(1_000_000)
  expect(stage.rows('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }])
  expect(stage.rows('PRAGMA foreign_key_check')).toEqual([])
  expect(ids(stage)).toEqual([young])
})

it('keeps the events that an open run could still take, until it has ended', async () => {
  const stage = createStage()
  const store = openEventStore({ dataDir: stage.dataDir })
  const send = (hook: string, id: string, body: JsonObject = {}): Promise<unknown> =>
    store.evaluation({
      event: { hook, id, type: 'incident', receivedAtMs: now - 20 * dayMs, body },
      candidates: [],
    })
  await send('ci', 'before')
  const text = '  - { id: built, uses: core/listen, with: { hook: ci, where: "${{ event.ok }}" } }\n'
  const run = await stage.start(text)
  run.interrupt()
  expect(await run.result).toMatchObject({ status: 'interrupted' })
  await send('ci', 'after', { ok: true })
  await send('other', 'elsewhere')
  const events = (): readonly unknown[] =>
    stage.rows('SELECT id FROM received_events ORDER BY seq').map(({ id }) => id)

  const dry = await pruneRuns({ dataDir: stage.dataDir, endedBeforeMs, isDryRun: true })
  expect(dry.events).toBe(2)
  expect(await pruneRuns({ dataDir: stage.dataDir, endedBeforeMs })).toMatchObject({ events: 2, runs: [] })
  expect(events()).toEqual(['after'])
  expect(await stage.resume(run.runId)).toMatchObject({ status: 'succeeded' })
  expect(await pruneRuns({ dataDir: stage.dataDir, endedBeforeMs })).toMatchObject({ events: 1 })
  expect(events()).toEqual([])
  await store.close()
})
