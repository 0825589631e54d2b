import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { type Client, createClient } from 'opsbook/api'
import { type Sandbox, startSandbox } from 'opsbook/sandbox'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createActions } from '../../../src/actions/index.ts'
import type { TimedRunEvent } from '../../../src/core/events.ts'
import type { JsonObject } from '../../../src/core/json.ts'
import { startRun } from '../../../src/engine/embedded/index.ts'
import { checkInputs, loadRunbook } from '../../../src/load/index.ts'

let sandbox: Sandbox
let client: Client
let dataDir: string
const actions = createActions()

beforeEach(async () => {
  sandbox = await startSandbox({ limits: false })
  client = createClient({ baseUrl: sandbox.url, appKey: 'sandbox-owner', limits: 'off' })
  dataDir = mkdtempSync(join(tmpdir(), 'opsbook-run-'))
})
afterEach(async () => {
  await client.close()
  await sandbox.close()
  rmSync(dataDir, { recursive: true })
})

async function start(
  steps: string,
  inputs: JsonObject = {},
  onEvent: (event: TimedRunEvent) => void = () => {},
) {
  const text = `apiVersion: opsbook/v1\nname: test\ninputs: { type: object, additionalProperties: true }\nsteps:\n${steps}`
  const { plan, diagnostics } = loadRunbook(text, actions)
  if (!plan) throw new Error(JSON.stringify(diagnostics))
  return startRun({ plan, inputs, actions, connect: () => client, checkInputs, dataDir, onEvent })
}

async function control(path: string, body?: unknown): Promise<JsonObject> {
  const response = await fetch(`${sandbox.url}/_sandbox/${path}`, {
    ...(body === undefined
      ? {}
      : { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  })
  expect(response.status).toBe(200)
  return (await response.json()) as JsonObject
}

const received = async (): Promise<readonly JsonObject[]> =>
  (await control('requests'))['requests'] as readonly JsonObject[]

function rows(sql: string): readonly Record<string, unknown>[] {
  const database = new DatabaseSync(join(dataDir, 'opsbook.db'))
  try {
    return database.prepare(sql).all() as Record<string, unknown>[]
  } finally {
    database.close()
  }
}

const create =
  '  - { id: made, uses: rum/application/create, with: { application_name: shop, type: browser, team_id: 1 } }\n'
const export_ =
  '  - { id: record, uses: safari/session/export, with: { session_id: sess_nested, include_subagents: true }, save-as: deep/session.ndjson }\n'

it('journals each attempt with its outcome, each step, and the run', async () => {
  const run = await start(`${create}${export_}`)
  const report = await run.result
  expect(report).toMatchObject({
    status: 'succeeded',
    steps: [
      { path: 'made', status: 'succeeded', attempts: 1 },
      { path: 'record', status: 'succeeded', attempts: 1 },
    ],
  })
  expect(rows('SELECT id, status, runbook FROM runs')).toEqual([
    { id: run.runId, status: 'succeeded', runbook: 'test' },
  ])
  const attempts = rows(
    'SELECT path, attempt, action, output, error, request_id, ended_at FROM attempts ORDER BY path',
  )
  expect(attempts).toMatchObject([
    { path: 'made', attempt: 1, action: 'rum/application/create', error: null },
    { path: 'record', attempt: 1, error: null },
  ])
  for (const { request_id, ended_at } of attempts)
    expect([typeof request_id, typeof ended_at]).toEqual(['string', 'number'])
  expect(rows('SELECT path, status FROM steps ORDER BY position')).toEqual([
    { path: 'made', status: 'succeeded' },
    { path: 'record', status: 'succeeded' },
  ])
})

it('puts artifacts into the folder of the run, and names them relative to it', async () => {
  const report = await (await start(export_)).result
  const { output } = rows('SELECT output FROM attempts')[0] as { output: string }
  expect(JSON.parse(output)).toMatchObject({ path: 'deep/session.ndjson', complete: 'yes' })
  expect(readFileSync(join(report.artifacts_dir, 'deep/session.ndjson'), 'utf8')).toContain('"session_meta"')
})

it('checks arguments again once they are evaluated, and sends nothing that is wrong', async () => {
  const steps = `${create}  - { id: tools, uses: monit/tools/catalog, with: { target_locator: "\${{ 'a b' + steps.made.outputs.application_id }}" } }\n`
  const report = await (await start(steps)).result
  expect(report).toMatchObject({ status: 'failed', error: { code: 'InvalidInput', path: 'tools' } })
  expect(await received()).toHaveLength(1)
})

it('does not repeat a create whose answer was lost: the outcome is unknown', async () => {
  await control('faults', [{ operation: 'E2', close_after: true, times: 1 }])
  const steps = create.replace(' } }\n', ' }, retry: { attempts: 5, delay: 1ms } }\n')
  const report = await (await start(steps)).result
  expect(report).toMatchObject({ status: 'unknown', error: { code: 'OutcomeUnknown', path: 'made' } })
  expect(report.steps).toMatchObject([{ status: 'unknown', attempts: 1 }])
  expect(await received()).toHaveLength(1)
  expect(rows('SELECT status FROM runs')).toEqual([{ status: 'unknown' }])
})

it('repeats a read whose answer was lost, each attempt in the journal', async () => {
  await control('faults', [{ operation: 'E9', close_after: true, times: 2 }])
  const steps =
    '  - { id: rules, uses: rum/error-ingestion/rules/list, with: { application_id: CheckoutWebSandboxApp1 }, retry: { attempts: 3, delay: 1ms } }\n'
  const events: string[] = []
  const report = await (await start(steps, {}, (event) => events.push(event.type))).result
  expect(report).toMatchObject({ status: 'succeeded', steps: [{ attempts: 3 }] })
  expect(
    rows("SELECT attempt, json_extract(error, '$.code') AS code FROM attempts ORDER BY attempt"),
  ).toEqual([
    { attempt: 1, code: 'ConnectionLost' },
    { attempt: 2, code: 'ConnectionLost' },
    { attempt: 3, code: null },
  ])
  expect(events.filter((type) => type === 'attempt_failed')).toHaveLength(2)
})

it('stops at the next safe point when it is interrupted: a read is cancelled, no new call is made', async () => {
  await control('faults', [{ operation: 'E9', delay_ms: 60_000 }])
  const steps = `  - { id: rules, uses: rum/error-ingestion/rules/list, with: { application_id: CheckoutWebSandboxApp1 } }\n${create}`
  const run = await start(steps, {}, (event) => {
    if (event.type === 'attempt_started') setImmediate(() => run.interrupt())
  })
  const report = await run.result
  expect(report.status).toBe('interrupted')
  expect(report.steps).toMatchObject([
    { path: 'rules', status: 'interrupted', attempts: 1 },
    { path: 'made', status: 'pending', attempts: 0 },
  ])
  expect(rows('SELECT status FROM runs')).toEqual([{ status: 'interrupted' }])
})

it('continues when a listener throws', async () => {
  const run = await start(create, {}, () => {
    throw new Error('listener')
  })
  expect((await run.result).status).toBe('succeeded')
})

it('gives two runs in one directory records of their own', async () => {
  const runs = await Promise.all([start(create), start(create)])
  const reports = await Promise.all(runs.map(({ result }) => result))
  expect(reports.map(({ status }) => status)).toEqual(['succeeded', 'succeeded'])
  expect(rows('SELECT DISTINCT run_id FROM attempts')).toHaveLength(2)
})

/** Lets every write of that kind fail from now on, as a full disk would. */
function refuseWrites(to: 'UPDATE ON attempts' | 'INSERT ON steps' | 'UPDATE ON runs'): void {
  const database = new DatabaseSync(join(dataDir, 'opsbook.db'))
  database.exec(
    `CREATE TRIGGER refuse BEFORE ${to} BEGIN SELECT RAISE(FAIL, 'database or disk is full'); END`,
  )
  database.close()
}

describe('a journal that can no longer be written', () => {
  const loop =
    '  - { id: made, for-each: { items: [a, b, c, d, e], tolerate: all }, uses: rum/application/create, with: { application_name: "${{ item }}", type: browser, team_id: 1 } }\n'

  it.each([{ steps: create }, { steps: loop }])(
    'ends the run after a create as an unknown outcome',
    async ({ steps }) => {
      const run = await start(steps, {}, ({ type }) => {
        if (type === 'attempt_started') refuseWrites('UPDATE ON attempts')
      })
      const report = await run.result
      expect(report).toMatchObject({
        status: 'unknown',
        error: { code: 'OutcomeUnknown', details: { output: { application_id: expect.any(String) } } },
      })
      expect(report.error?.requestId).toEqual(expect.any(String))
      expect(await received()).toHaveLength(1)
    },
  )

  it('ends the run after a read as a failure', async () => {
    const steps = `  - { id: rules, uses: rum/error-ingestion/rules/list, with: { application_id: CheckoutWebSandboxApp1 } }\n${create}`
    const run = await start(steps, {}, ({ type }) => {
      if (type === 'attempt_started') refuseWrites('UPDATE ON attempts')
    })
    expect(await run.result).toMatchObject({ status: 'failed', error: { code: 'DataDirUnusable' } })
    expect(await received()).toHaveLength(1)
  })

  it('does not hide that the outcome of a create is unknown', async () => {
    await control('faults', [{ operation: 'E2', close_after: true }])
    const types: string[] = []
    const run = await start(create, {}, ({ type }) => {
      types.push(type)
      if (type === 'attempt_started') refuseWrites('INSERT ON steps')
    })
    expect(await run.result).toMatchObject({ status: 'unknown', error: { code: 'OutcomeUnknown' } })
    expect(types).toContain('step_finished')
  })

  it('makes a run that did all it should a failed one', async () => {
    const run = await start(create, {}, ({ type }) => {
      if (type === 'attempt_started') refuseWrites('UPDATE ON runs')
    })
    expect(await run.result).toMatchObject({ status: 'failed', error: { code: 'DataDirUnusable' } })
  })
})

it('begins no write that still waits for its place when it is interrupted', async () => {
  await client.close()
  client = createClient({
    baseUrl: sandbox.url,
    appKey: 'sandbox-owner',
    limits: { createApplication: { perSecond: 1, perMinute: 1 } },
  })
  const run = await start(`${create}${create.replace('made', 'again')}`, {}, (event) => {
    if (event.type === 'waiting') setImmediate(() => run.interrupt())
  })
  const report = await run.result
  expect(report).toMatchObject({
    status: 'interrupted',
    steps: [{ status: 'succeeded' }, { status: 'interrupted' }],
  })
  expect(await received()).toHaveLength(1)
})
