import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isOwned, takeOwnership } from '../../../src/engine/embedded/run/ownership.ts'
import { type Child, callsIn, startChild } from './support/child.ts'
import { createStage, type Stage } from './support/stage.ts'

const head = 'apiVersion: opsbook/v1\nname: test\nsteps:\n'
const step = (id: string, action: string): string =>
  `  - { id: ${id}, uses: note/${action}, with: { name: ${id} } }\n`

/** A run in a process of its own, during the call named "hang". */
async function hanging(
  stage: Stage,
  action: string,
): Promise<{ child: Child; runId: string; callsFile: string }> {
  const callsFile = join(stage.dataDir, 'calls.txt')
  const text = `${head}${step('first', 'make')}${step('hang', action)}${step('last', 'make')}`
  const child = startChild({ dataDir: stage.dataDir, callsFile, text, hangs: ['hang'] })
  const { run_id } = await child.line(({ type }) => type === 'run_started')
  await child.line(({ type, name }) => type === 'called' && name === 'hang')
  return { child, runId: String(run_id), callsFile }
}

it('is held by one at a time, in one process too', () => {
  const { dataDir } = createStage()
  expect(isOwned(dataDir, 'run_1')).toBe(false)
  const mine = takeOwnership(dataDir, 'run_1')
  expect(isOwned(dataDir, 'run_1')).toBe(true)
  expect(isOwned(dataDir, 'run_2')).toBe(false)
  expect(() => takeOwnership(dataDir, 'run_1')).toThrow(expect.objectContaining({ code: 'RunInUse' }))
  mine.release(false)
  expect(isOwned(dataDir, 'run_1')).toBe(false)
  takeOwnership(dataDir, 'run_1').release(true)
  expect(existsSync(join(dataDir, 'owners', 'run_1.lock'))).toBe(false)
})

it('is taken by a process that waited for the end of the run', async () => {
  const { dataDir } = createStage()
  takeOwnership(dataDir, 'run_1').release(false)
  // Held by another process, which lets go while this one stands still and waits.
  const script = `
    const { DatabaseSync } = require('@photostructure/sqlite')
    const lock = new DatabaseSync(process.argv[1])
    lock.exec('PRAGMA journal_mode = OFF; BEGIN EXCLUSIVE')
    console.log('held')
    process.stdin.once('data', () => setTimeout(() => {
      lock.close()
      require('node:fs').rmSync(process.argv[1])
      process.stdin.unref()
    }, 100))`
  const holder = spawn(process.execPath, ['-e', script, join(dataDir, 'owners', 'run_1.lock')])
  await once(holder.stdout, 'data')
  const exit = once(holder, 'exit')
  holder.stdin.end('now')
  const take = (): boolean => {
    try {
      takeOwnership(dataDir, 'run_1').release(true)
      return true
    } catch (error) {
      expect(error).toMatchObject({ code: 'RunInUse' })
      return false
    }
  }
  // The other one may be slower than this one is patient.
  while (!take()) await new Promise((resolve) => setImmediate(resolve))
  await exit
  expect(isOwned(dataDir, 'run_1')).toBe(false)
})

it('says what keeps a run from being locked', () => {
  expect(() => takeOwnership('/dev/null', 'run_1')).toThrow(
    expect.objectContaining({ code: 'DataDirUnusable' }),
  )
})

describe('a run of another process', () => {
  it('is running, and cannot be resumed as long as its process lives', async () => {
    const stage = createStage()
    // The intent of a write is on disk before its call; that of a read can be lost with its process.
    const { child, runId } = await hanging(stage, 'put')
    expect(stage.reader().readRun(runId)?.status).toBe('running')
    await expect(stage.resume(runId)).rejects.toMatchObject({
      code: 'RunInUse',
      message: expect.stringMatching(/is being run by process \d+/),
    })
    await child.kill()
    expect(stage.reader().listRuns({ status: ['interrupted'] })).toMatchObject([{ run_id: runId }])
    expect(stage.reader().readRun(runId)?.steps).toMatchObject([
      { path: 'first', status: 'succeeded' },
      { path: 'hang', status: 'interrupted' },
      { path: 'last', status: 'pending' },
    ])
  })

  it.each(['read', 'put'])('is taken over when it was killed in a %s', async (action) => {
    const stage = createStage()
    const { child, runId, callsFile } = await hanging(stage, action)
    await child.kill()
    expect(await stage.resume(runId)).toMatchObject({ status: 'succeeded' })
    expect(callsIn(callsFile)).toHaveLength(2)
    expect(stage.calls.map((call) => call.split(' ')[1])).toEqual(['hang', 'last'])
  })

  it('goes to one of two who want it at the same time', async () => {
    const stage = createStage()
    const { child, runId, callsFile } = await hanging(stage, 'read')
    await child.kill()
    const job = { dataDir: stage.dataDir, callsFile, runId, hangs: ['last'] }
    const both = [startChild(job), startChild(job)]
    const isDecided = ({ type, name }: Readonly<Record<string, unknown>>): boolean =>
      type === 'refused' || (type === 'called' && name === 'last')
    const lines = await Promise.all(both.map((one) => one.line(isDecided)))
    expect(lines.map(({ type }) => type).toSorted()).toEqual(['called', 'refused'])
    expect(lines.find(({ type }) => type === 'refused')).toMatchObject({ code: 'RunInUse' })
    expect(callsIn(callsFile)).toEqual(['create first', 'read hang', 'read hang', 'create last'])
  })
})

it('lets two processes run in one directory at the same time', async () => {
  const stage = createStage()
  const callsFile = join(stage.dataDir, 'calls.txt')
  const text = `${head}  - { id: many, for-each: { items: "\${{ [1, 2, 3, 4, 5, 6, 7, 8, 9].map(n, string(n)) }}", max-parallel: 3 }, uses: note/make, with: { name: "\${{ item }}" } }\n`
  const job = { dataDir: stage.dataDir, callsFile, text }
  const children = [startChild(job), startChild(job)]
  const reports = await Promise.all(children.map((one) => one.line(({ type }) => type === 'report')))
  expect(reports).toMatchObject([{ status: 'succeeded' }, { status: 'succeeded' }])
  expect(callsIn(callsFile)).toHaveLength(18)
})
