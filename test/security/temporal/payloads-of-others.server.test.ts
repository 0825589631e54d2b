/**
 * Someone without the key may write to the namespace: they send payloads that are not encrypted, or copies of encrypted
 * ones. Workers with keys take neither.
 */
import { randomBytes } from 'node:crypto'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client, Connection, WorkflowUpdateFailedError } from '@temporalio/client'
import { type Payload, RawValue } from '@temporalio/common'
import { createActions, loadRunbook } from 'opsbook'
import { afterAll, beforeAll, expect, inject, onTestFinished, test, vi } from 'vitest'
import { createCodec } from '../../../src/engine/temporal/codec/create-codec.ts'
import { readPayloadKeys } from '../../../src/engine/temporal/codec/read-keys.ts'
import { actionQueueOf } from '../../../src/engine/temporal/index.ts'
import { answerUpdate, controlUpdate, type RunStart } from '../../../src/engine/temporal/messages.ts'
import { runTypeOf } from '../../../src/engine/temporal/run-listing.ts'
import { type CommandResult, opsbook } from '../../cli/support/opsbook.ts'
import { startReceiver } from '../../engine/notifications/receiver.ts'
import { type Engines, openEngines } from '../../engine/temporal/commands/open-engines.ts'

const ask = `apiVersion: opsbook/v1
name: ask
steps:
  - { id: ask, uses: core/approve, with: { message: "go on?" } }
`
const call = (url: string): string => `apiVersion: opsbook/v1
name: call
steps: [{ id: get, uses: core/http, with: { method: POST, safety: read, url: "${url}", body: {} } }]
`
const scheduled = `apiVersion: opsbook/v1
name: scheduled
triggers: [{ type: schedule, every: 1s }]
steps: [{ id: one, uses: core/set, with: { a: 1 } }]
`
const yes = { step: 'ask', approved: true, by: { name: 'ada', source: 'console', verified: true } }
const switchName = 'OPSBOOK_TEMPORAL_ALLOW_PLAIN'

let engines: Engines
let outsider: Client

beforeAll(async () => {
  vi.stubEnv('OPSBOOK_TEMPORAL_KEYS', `ours:${randomBytes(32).toString('base64')}`)
  engines = await openEngines({ 'ask.yaml': ask })
  const address = inject('temporalAddress')
  const { decode } = createCodec({
    keys: readPayloadKeys(process.env['OPSBOOK_TEMPORAL_KEYS']),
    onUnreadable: 'throw',
  })
  // Reads what it is answered, for the sake of this test. What it sends is as it was given.
  const payloadCodecs = [{ decode, encode: async (payloads: Payload[]) => payloads }]
  outsider = new Client({
    connection: await Connection.connect({ address }),
    dataConverter: { payloadCodecs },
  })
}, 60_000)

afterAll(async () => {
  await outsider.connection.close()
  await engines.close()
  vi.unstubAllEnvs()
}, 60_000)

async function startWaiting(): Promise<string> {
  const runId = (await engines.temporal(['start', 'ask.yaml'])).stdout.trim()
  await expect
    .poll(async () => (await engines.temporal(['show', runId])).stdout)
    .toContain('ask asks: go on?')
  return runId
}

/** Starts `opsbook worker`. Resolves once it is ready. */
function startWorker(
  { folder, env }: Pick<Engines, 'folder' | 'env'>,
  ...words: readonly string[]
): Promise<{ stop(): void; readonly ended: Promise<CommandResult> }> {
  return new Promise((resolve) => {
    const ended = opsbook(['worker', '--sandbox', ...words], {
      folder,
      env,
      onWrite: (text, command) =>
        text.startsWith('worker ready') && resolve({ stop: () => command.signal('SIGTERM'), ended }),
    })
  })
}

/** The code that the run refuses an update with. */
async function refusalOf(runId: string, update: string, order: unknown): Promise<unknown> {
  const sent = outsider.workflow.getHandle(runId).executeUpdate(update, { args: [order] })
  const error = await sent.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  return error instanceof WorkflowUpdateFailedError && (error.cause as { type?: unknown }).type
}

/** Starts a run as the outsider, with this payload or value. Resolves with why it failed. */
async function startedWith(workflowType: string, workflowId: string, start: unknown): Promise<string> {
  const { taskQueue } = engines
  const handle = await outsider.workflow.start(workflowType, { workflowId, taskQueue, args: [start] })
  await handle.result().catch(() => undefined)
  const watched = await engines.temporal(['watch', workflowId])
  return watched.stdout + watched.stderr
}

function startFor(runId: string, taskQueue: string): Omit<RunStart, 'plan'> {
  const startedBy = { name: 'ada', source: 'system-user' } as const
  return { inputs: {}, runId, startedAtMs: Date.now(), startedBy, actionQueue: actionQueueOf(taskQueue) }
}

type Attributes = NonNullable<
  NonNullable<Awaited<ReturnType<typeof history>>>[number]['workflowExecutionStartedEventAttributes']
>

async function history(runId: string) {
  return (await outsider.workflow.getHandle(runId).fetchHistory()).events ?? []
}

function copied(input: Attributes['input']): RawValue {
  return RawValue.fromPayload((input?.payloads ?? [])[0] as Payload)
}

/** The payload of the answer that a run was given. */
async function answerTo(runId: string): Promise<RawValue> {
  for (const { workflowExecutionUpdateAcceptedEventAttributes: accepted } of await history(runId))
    if (accepted) return copied(accepted.acceptedRequest?.input?.args)
  throw new Error('no answer')
}

/** The payload that a run was started with. */
async function startOf(runId: string): Promise<RawValue> {
  const [first] = await history(runId)
  return copied(first?.workflowExecutionStartedEventAttributes?.input)
}

test('an answer without encryption, or copied from another run or message, approves nothing', async () => {
  const [one, other] = [await startWaiting(), await startWaiting()]
  expect(await refusalOf(one, answerUpdate, yes)).toBe('PayloadUnreadable')
  expect(await engines.temporal(['approve', one, 'ask'])).toMatchObject({ code: 0 })
  expect((await engines.temporal(['watch', one])).code).toBe(0)
  const answer = await answerTo(one)
  expect(await refusalOf(other, answerUpdate, answer)).toBe('PayloadUnreadable')
  // With the name of the other run in it, the payload was changed.
  const { metadata, data } = answer.payload
  const bent = { metadata: { ...metadata, 'opsbook-workflow': Buffer.from(other) }, data: data as Uint8Array }
  expect(await refusalOf(other, answerUpdate, RawValue.fromPayload(bent))).toBe('PayloadUnreadable')
  expect((await engines.temporal(['show', other])).stdout).toContain('ask asks: go on?')
  // As an answer, its own start and its own control request are nothing.
  expect(await refusalOf(other, answerUpdate, await startOf(other))).toBe('PayloadUnreadable')
  expect(await refusalOf(other, controlUpdate, await startOf(other))).toBe('PayloadUnreadable')
  expect((await engines.temporal(['cancel', other])).code).toBe(0)
})

test('a start without encryption, or copied from another run, runs nothing', async () => {
  const receiver = await startReceiver()
  const step = `{ id: own, uses: core/http, with: { method: POST, url: "${receiver.url}" } }`
  const { plan } = loadRunbook(`apiVersion: opsbook/v1\nname: evil\nsteps: [${step}]\n`, createActions())
  if (!plan) throw new Error('the runbook is sound')
  const runId = `run_evil_${randomBytes(6).toString('hex')}`
  const start: RunStart = { ...startFor(runId, engines.taskQueue), plan }
  expect(await startedWith(runTypeOf('evil'), runId, start)).toContain('a payload is not encrypted')
  expect(receiver.received).toEqual([])
  const own = await startWaiting()
  for (const id of [`${own}-2026-01-01T00:00:00Z`, `run_copy_${randomBytes(6).toString('hex')}`])
    expect(await startedWith(runTypeOf('ask'), id, await startOf(own))).toContain(
      `a payload of the workflow "${own}"`,
    )
  expect((await engines.temporal(['cancel', own])).code).toBe(0)
})

test('the result of a run, its failure and the memo of its listing start nothing', async () => {
  const own = await startWaiting()
  expect((await engines.temporal(['approve', own, 'ask'])).code).toBe(0)
  expect((await engines.temporal(['watch', own])).code).toBe(0)
  const failing = await startWaiting()
  expect((await engines.temporal(['cancel', failing])).code).toBe(0)
  await expect(outsider.workflow.getHandle(failing).result()).rejects.toThrow()
  const copies: [string, Payload][] = []
  for (const runId of [own, failing])
    for (const event of await history(runId)) {
      const { result } = event.workflowExecutionCompletedEventAttributes ?? {}
      const { failure } = event.workflowExecutionFailedEventAttributes ?? {}
      const { memo } = event.workflowExecutionStartedEventAttributes ?? {}
      const details = failure?.applicationFailureInfo?.details?.payloads ?? []
      const found = [
        ...(result?.payloads ?? []),
        ...details,
        failure?.encodedAttributes,
        ...Object.values((memo?.fields ?? {}) as Record<string, Payload>),
      ]
      for (const payload of found) if (payload) copies.push([runId, payload as Payload])
    }
  expect(copies.length).toBeGreaterThan(2)
  const { taskQueue } = engines
  const failed = { cause: { type: 'PayloadUnreadable', details: [{ status: 'failed' }] } }
  for (const [workflowId, payload] of copies) {
    const args = [RawValue.fromPayload(payload)]
    const started = await outsider.workflow.start(runTypeOf('ask'), { workflowId, taskQueue, args })
    await expect(started.result()).rejects.toMatchObject(failed)
    expect((await engines.temporal(['watch', workflowId])).stderr).not.toContain('unexpected error')
  }
})

test('a signal without encryption changes nothing', async () => {
  const runId = await startWaiting()
  await outsider.workflow.getHandle(runId).signal('opsbookReplaced', { runId: 'other', by: yes.by })
  expect(await engines.temporal(['approve', runId, 'ask'])).toMatchObject({ code: 0 })
  expect((await engines.temporal(['watch', runId])).code).toBe(0)
})

test.each([
  ['without encryption', 'a payload is not encrypted'],
  ['copied from another run', 'a payload of the workflow'],
])('an answer that another worker gives to a call is none: one %s', async (kind, why) => {
  const files = { 'call.yaml': call((await startReceiver()).url) }
  let payload: Payload | undefined = new RawValue({ output: { status: 200 } }).payload
  if (kind !== 'without encryption') {
    const other = await openEngines(files)
    onTestFinished(() => other.close())
    const { stdout } = await other.temporal(['run', 'call.yaml', '-q', '-o', 'json'])
    const events = await history(JSON.parse(stdout).run_id)
    ;[payload] = events.flatMap((event) => event.activityTaskCompletedEventAttributes?.result?.payloads ?? [])
  }
  const { folder, taskQueue, env, close, temporal } = await openEngines(files, { hasWorker: false })
  onTestFinished(close)
  const { stop, ended } = await startWorker({ folder, env }, '--role', 'runs')
  const runId = (await temporal(['start', 'call.yaml'])).stdout.trim()
  const { connection, workflowService } = outsider
  const queue = { namespace: 'default', taskQueue: { name: actionQueueOf(taskQueue) } }
  const { taskToken } = await connection.withDeadline(Date.now() + 30_000, () =>
    workflowService.pollActivityTaskQueue(queue),
  )
  const result = { payloads: [payload as Payload] }
  await workflowService.respondActivityTaskCompleted({ namespace: 'default', taskToken, result })
  const failed = { cause: { type: 'PayloadUnreadable', details: [{ status: 'failed' }] } }
  await expect(outsider.workflow.getHandle(runId).result()).rejects.toMatchObject(failed)
  const { stdout, stderr } = await temporal(['watch', runId])
  expect(stdout + stderr).toContain(why)
  stop()
  await ended
})

test.each(['read', 'create'])('what a failed %s says is encrypted in the history', async (safety) => {
  const step = `{ id: get, uses: core/http, with: { method: POST, safety: ${safety}, url: "http://127.0.0.1:9/canary" } }`
  await writeFile(
    join(engines.folder, 'fails.yaml'),
    `apiVersion: opsbook/v1\nname: fails\nsteps: [${step}]\n`,
  )
  const { stdout } = await engines.temporal(['run', 'fails.yaml', '-q', '-o', 'json'])
  expect(stdout).toContain('ECONNREFUSED')
  const events = await history(JSON.parse(stdout).run_id)
  const [failed] = events.flatMap(({ activityTaskFailedEventAttributes: one }) => one?.failure ?? [])
  expect(failed).toMatchObject({ message: 'Encoded failure', stackTrace: '' })
  expect(failed?.encodedAttributes?.metadata).toHaveProperty('opsbook-key')
  expect(JSON.stringify(events)).not.toMatch(/canary|ECONNREFUSED/)
})

test('a schedule starts its runs, and the start of one is not taken by another workflow', async () => {
  await mkdir(join(engines.folder, 'runbooks'))
  const file = join(engines.folder, 'runbooks', 'scheduled.yaml')
  await writeFile(file, scheduled)
  const apply = async () => expect((await engines.temporal(['schedules', 'apply'])).code).toBe(0)
  await apply()
  const listed = ['runs', '--runbook', 'scheduled', '--status', 'succeeded', '-o', 'json']
  const found = async (): Promise<{ readonly run_id: string }[]> =>
    JSON.parse((await engines.temporal(listed)).stdout).runs
  await expect.poll(found, { timeout: 30_000 }).not.toEqual([])
  await rm(file)
  await writeFile(join(engines.folder, 'runbooks', 'none.yaml'), ask)
  await apply()
  const [{ run_id: runId } = { run_id: '' }] = await found()
  const other = `run_other_${randomBytes(6).toString('hex')}`
  expect(await startedWith(runTypeOf('scheduled'), other, await startOf(runId))).toContain('a payload of the')
}, 60_000)

test('with the switch, payloads without encryption are taken, and everyone is told', async () => {
  expect((await engines.temporal(['doctor'])).stdout).toMatch(/ok +encryption +only payloads of the keys/)
  vi.stubEnv(switchName, '1')
  onTestFinished(() => void vi.stubEnv(switchName, ''))
  const lax = await openEngines({ 'ask.yaml': ask }, { hasWorker: false })
  onTestFinished(() => lax.close())
  const { stop, ended } = await startWorker(lax)
  const runId = (await lax.temporal(['start', 'ask.yaml'])).stdout.trim()
  await expect.poll(async () => (await lax.temporal(['show', runId])).stdout).toContain('ask asks: go on?')
  expect(await refusalOf(runId, answerUpdate, yes)).toBe(false)
  expect((await lax.temporal(['watch', runId])).code).toBe(0)
  expect((await lax.temporal(['doctor'])).stdout).toMatch(
    /warn +encryption +OPSBOOK_TEMPORAL_ALLOW_PLAIN is set/,
  )
  // What must end before the switch is removed: replay-check names it.
  const { taskQueue } = lax
  const workflowId = `run_plain_${randomBytes(6).toString('hex')}`
  const { plan } = loadRunbook(ask, createActions())
  const start = { ...startFor(workflowId, taskQueue), plan }
  const plain = await outsider.workflow.start(runTypeOf('ask'), { workflowId, taskQueue, args: [start] })
  await expect
    .poll(async () => (await lax.temporal(['show', workflowId])).stdout)
    .toContain('ask asks: go on?')
  const listed = () => outsider.workflow.count(`TaskQueue = '${taskQueue}' AND ExecutionStatus = 'Running'`)
  await expect.poll(listed).toMatchObject({ count: 1 })
  expect((await lax.temporal(['replay-check'])).code).toBe(0)
  vi.stubEnv(switchName, '')
  const { code, stdout } = await lax.temporal(['replay-check'])
  expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringContaining(`${workflowId}`) })
  expect(stdout).toContain('a payload is not encrypted')
  await plain.terminate()
  stop()
  expect((await ended).stderr).toContain('payloads without encryption are accepted')
}, 60_000)

test('a switch that is neither on nor off is refused, and without keys doctor says what that means', async () => {
  vi.stubEnv(switchName, 'yes')
  onTestFinished(() => void vi.stubEnv(switchName, ''))
  expect(await engines.temporal(['runs'])).toMatchObject({
    code: 5,
    stderr: expect.stringContaining(`Set ${switchName} to 1, or remove it.`),
  })
  vi.stubEnv(switchName, '')
  const keys = process.env['OPSBOOK_TEMPORAL_KEYS']
  vi.stubEnv('OPSBOOK_TEMPORAL_KEYS', '')
  onTestFinished(() => void vi.stubEnv('OPSBOOK_TEMPORAL_KEYS', keys))
  const empty = await openEngines({}, { hasWorker: false })
  onTestFinished(() => empty.close())
  const { stdout } = await empty.temporal(['doctor'])
  expect(stdout).toMatch(/warn +encryption +without keys, whoever may write to "default" runs anything/)
})
