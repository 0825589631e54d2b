import type { JsonObject, Plan } from 'opsbook'
import { expect, it } from 'vitest'
import type { RunHandle } from '../../../src/engine/record/run-handle.ts'
import { sendControlRequest } from '../../../src/engine/temporal/client/control-run.ts'
import { readRunState } from '../../../src/engine/temporal/client/read-run.ts'
import { resumeRun } from '../../../src/engine/temporal/client/resume-run.ts'
import { type LineState, lineQuery } from '../../../src/engine/temporal/concurrency/line.ts'
import { awaitedLineOf } from '../../../src/engine/temporal/concurrency/line-id.ts'
import { systemUserNamed } from '../../support/identity.ts'
import { approve } from './support/approve.ts'
import { stageOfFile } from './support/stage-of-file.ts'

const stage = stageOfFile()
let hosts = 0

const ask = { id: 'ask', uses: 'core/approve', with: { message: 'Go on?' } }

interface OneLine {
  readonly plan: Plan
  readonly inputs: JsonObject
  readonly lineId: string
}

/** A runbook of which `limit` runs at a time are active for a host of this test alone. */
function inLine(limit: number, onConflict = 'wait', steps: JsonObject[] = [ask]): OneLine {
  const key = `host-${++hosts}`
  const plan = stage.compile({
    inputs: { type: 'object', properties: { host: { type: 'string' } }, required: ['host'] },
    concurrency: { key: '${{ inputs.host }}', limit, 'on-conflict': onConflict },
    steps,
  })
  const { lineId = '' } = awaitedLineOf(stage.taskQueue, plan.name, { key, limit, onConflict: 'wait' }) ?? {}
  return { plan, inputs: { host: key }, lineId }
}

const by = systemUserNamed('ada')
const statusOf = async (runId: string): Promise<string | undefined> =>
  (await readRunState(runId, stage))?.status
const line = ({ lineId }: OneLine): Promise<LineState> =>
  stage.client.workflow.getHandle(lineId).query<LineState>(lineQuery)
const lineStatus = async ({ lineId }: OneLine): Promise<string> =>
  (await stage.client.workflow.getHandle(lineId).describe()).status.name

/** Starts runs one after another, so that they join the line in this order. */
async function startInOrder(given: OneLine, count: number): Promise<readonly RunHandle[]> {
  const runs: RunHandle[] = []
  for (let started = 1; started <= count; started++) {
    runs.push(await stage.start(given.plan, { inputs: given.inputs }))
    await expect
      .poll(async () => {
        const { holders, waiting } = await line(given).catch(() => ({ holders: [], waiting: [] }))
        return holders.length + waiting.length
      })
      .toBe(started)
  }
  return runs
}

const until = (runId: string, status: string) => expect.poll(() => statusOf(runId)).toBe(status)

it('runs as many as the limit allows, and the others in the order of their starts', async () => {
  const given = inLine(2)
  const [first, second, third, fourth] = (await startInOrder(given, 4)) as [
    RunHandle,
    RunHandle,
    RunHandle,
    RunHandle,
  ]
  for (const { runId } of [first, second]) await until(runId, 'waiting')
  for (const { runId } of [third, fourth]) await until(runId, 'queued')
  expect((await readRunState(fourth.runId, stage))?.place_in_line).toEqual({
    key: given.inputs['host'],
    limit: 2,
    before: [first.runId, second.runId, third.runId],
  })
  await approve(stage, second.runId)
  expect((await second.result).status).toBe('succeeded')
  await until(third.runId, 'waiting')
  expect(await statusOf(fourth.runId)).toBe('queued')
  await approve(stage, first.runId)
  await until(fourth.runId, 'waiting')
  for (const { runId } of [third, fourth]) await approve(stage, runId)
  for (const { result } of [first, third, fourth]) expect((await result).status).toBe('succeeded')
  await expect.poll(() => lineStatus(given)).toBe('COMPLETED')
})

it('a waiting run is cancelled, and the one behind it moves up', async () => {
  const given = inLine(1)
  const [first, second, third] = (await startInOrder(given, 3)) as [RunHandle, RunHandle, RunHandle]
  await until(second.runId, 'queued')
  await sendControlRequest(second.runId, stage, { kind: 'cancel', by })
  expect(await second.result).toMatchObject({
    status: 'cancelled',
    error: { message: 'the run was cancelled while it waited in line' },
    steps: [],
  })
  await expect.poll(async () => (await line(given)).waiting.map(({ runId }) => runId)).toEqual([third.runId])
  await approve(stage, first.runId)
  await approve(stage, third.runId)
  expect((await third.result).status).toBe('succeeded')
})

it('a resumed run waits in line again', async () => {
  const failing = { id: 'no', uses: 'core/assert', with: { that: ['${{ inputs.host == "x" }}'] } }
  const given = inLine(1, 'wait', [ask, failing])
  const [first, second] = (await startInOrder(given, 2)) as [RunHandle, RunHandle]
  await approve(stage, first.runId)
  expect((await first.result).status).toBe('failed')
  await until(second.runId, 'waiting')
  await resumeRun({ client: stage.client, taskQueue: stage.taskQueue, by, runId: first.runId })
  await until(first.runId, 'queued')
  await approve(stage, second.runId)
  await second.result
  const resumed = stage.client.workflow.getHandle(first.runId)
  await expect(resumed.result()).rejects.toThrow()
  await expect.poll(() => lineStatus(given)).toBe('COMPLETED')
})

it('keeps its key when it continues in a new execution', async () => {
  const set = { id: 'set', uses: 'core/set', with: { a: 1 } }
  const given = inLine(1, 'wait', [set, ask])
  const first = await stage.start(given.plan, { inputs: given.inputs, mostEvents: 1 })
  await until(first.runId, 'waiting')
  const second = await stage.start(given.plan, { inputs: given.inputs })
  await until(second.runId, 'queued')
  expect((await line(given)).holders).toEqual([{ runId: first.runId }])
  for (const run of [first, second]) {
    await approve(stage, run.runId)
    expect((await run.result).status).toBe('succeeded')
  }
})
