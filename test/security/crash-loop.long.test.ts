/** What a call reads kills the process, and each new process makes the same call. */
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openDatabase } from '../../src/engine/embedded/database/database.ts'
import { createRunQueue } from '../../src/engine/embedded/queue/run-queue.ts'
import { listInterrupted } from '../../src/engine/embedded/tables/queue-rows.ts'
import { opsbook } from '../cli/support/opsbook.ts'
import { startChild } from '../engine/embedded/support/child.ts'
import { createStage, type Stage } from '../engine/embedded/support/stage.ts'

const head = 'apiVersion: opsbook/v1\nname: test\nsteps:\n'
const read = `${head}  - { id: read, uses: note/read, with: { name: deadly } }\n`
const waits = `${head}  - { id: wait, uses: core/wait, with: { for: 1h } }\n`

/** A process that starts or resumes a run, and is killed once it has printed a line of this type. */
async function crash(stage: Stage, type: string, job: object): Promise<string> {
  const callsFile = join(stage.dataDir, 'calls.txt')
  const child = startChild({ dataDir: stage.dataDir, callsFile, hangs: ['deadly'], ...job })
  const { run_id: runId } = await child.line((line) => line['type'] === 'run_started')
  await child.line((line) => line['type'] === type)
  // The intent of the first read is batched: a process that dies within 100 ms of it leaves no trace of the call.
  if (type === 'called' && !('isAutomatic' in job))
    await expect.poll(() => stage.rows('SELECT 1 FROM attempts WHERE ended_at IS NULL').length).toBe(1)
  await child.kill()
  return String(runId)
}

async function crashThreeTimes(stage: Stage, text: string, type: string): Promise<string> {
  const runId = await crash(stage, type, { text })
  for (let more = 0; more < 2; more++) await crash(stage, type, { runId, isAutomatic: true })
  return runId
}

/** The runs that a `serve` resumes as it starts. */
function continued(stage: Stage): readonly string[] {
  const database = openDatabase(stage.dataDir)
  try {
    return listInterrupted(database, stage.dataDir).map(({ id }) => id)
  } finally {
    database.close()
  }
}

describe('a run whose process died three times in the middle of a call', () => {
  it('is left interrupted, and says so', async () => {
    const stage = createStage()
    const runId = await crashThreeTimes(stage, read, 'called')
    const refused: unknown[] = []
    const queue = createRunQueue({
      dataDir: stage.dataDir,
      maxRuns: 1,
      claim: () => Promise.reject(new Error('nothing waits')),
      resume: (id) => stage.reopen(id, { isAutomatic: true }),
      onRefused: (id, error) => refused.push([id, error]),
    })
    onTestFinished(() => queue.stop(0))
    queue.start()
    await expect.poll(() => refused).toMatchObject([[runId, { code: 'RepeatedCrash' }]])
    // It is in no list that is looked at again.
    expect([queue.countQueued(), queue.continues(runId), stage.calls]).toEqual([0, false, []])
    expect(continued(stage)).toEqual([])

    const look = async (...words: string[]) => (await opsbook([...words, '--data-dir', stage.dataDir])).stdout
    expect(await look('runs')).toMatch(/interrupted .*RepeatedCrash/)
    expect(await look('show', runId)).toContain(
      'the process died 3 times while a call of the run was in flight',
    )

    expect(await stage.resume(runId)).toMatchObject({ status: 'succeeded' })
  })

  it('has three lives again once a person has resumed it', async () => {
    const stage = createStage()
    const runId = await crashThreeTimes(stage, read, 'called')
    await crash(stage, 'called', { runId })
    for (let more = 0; more < 2; more++) await crash(stage, 'called', { runId, isAutomatic: true })
    await expect(stage.reopen(runId, { isAutomatic: true })).rejects.toMatchObject({ code: 'RepeatedCrash' })
  })
})

it('a resume that is refused since another run has the key is no crash', async () => {
  const stage = createStage()
  const keyed = 'concurrency: { key: one, on-conflict: reject }\n'
  const runId = await crash(stage, 'called', { text: read.replace('steps:', `${keyed}steps:`) })
  const holder = await stage.start(waits.replace('steps:', `${keyed}steps:`))
  for (let more = 0; more < 4; more++)
    await expect(stage.reopen(runId, { isAutomatic: true })).rejects.toMatchObject({
      code: 'ConcurrencyConflict',
    })
  holder.interrupt()
  await holder.result
  await crash(stage, 'called', { runId, isAutomatic: true })
  await crash(stage, 'called', { runId, isAutomatic: true })
  await expect(stage.reopen(runId, { isAutomatic: true })).rejects.toMatchObject({ code: 'RepeatedCrash' })
})

it('a run that only waited when its process died is resumed', async () => {
  const stage = createStage()
  const runId = await crashThreeTimes(stage, waits, 'waiting')
  await crash(stage, 'waiting', { runId, isAutomatic: true })
  expect(continued(stage)).toEqual([runId])
})
