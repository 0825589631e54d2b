import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createActions, type JsonObject, type TimedRunEvent } from 'opsbook'
import { operations } from 'opsbook/api'
import { afterAll, beforeAll, expect } from 'vitest'
import { type OpenSandbox, type OperationId, openSandbox, validBodies } from '../../sandbox/open-sandbox.ts'
import { describeCases } from '../../support/describe-cases.ts'
import { compile, runPlan } from '../support/run-runbook.ts'
import { type FaultTrial, faultCases, trialsOf } from './fault-case.ts'

const actions = createActions()
const dataDir = mkdtempSync(join(tmpdir(), 'opsbook-faults-'))
let sandbox: OpenSandbox

/** Opens the sandbox that all trials of a test file share. */
export function openSandboxForFile(): void {
  beforeAll(async () => {
    sandbox = await openSandbox({ limits: false })
  })
  afterAll(async () => {
    await sandbox.close()
    rmSync(dataDir, { recursive: true })
  })
}

interface Seen {
  readonly number: number
  readonly operation: string
  readonly executed: boolean
  readonly unknown_fields: readonly string[]
  readonly body: { readonly tools?: readonly object[] }
}

async function requestsAfter(number: number): Promise<readonly Seen[]> {
  return (await sandbox.control(`requests?after=${number}`)).requests
}

/** A runbook of one step: the operation, its usual arguments, three attempts. */
function runbookOf({ operation, method, row }: FaultTrial): JsonObject {
  const { retry, ...more } = row.step ?? {}
  const step = {
    id: 'one',
    uses: operations[method].name,
    with: validBodies[operation as OperationId],
    retry: { attempts: 3, delay: '1ms', backoff: 1, ...(retry as JsonObject | undefined) },
    ...(operation === 'E6' ? { 'save-as': 'record.ndjson' } : {}),
    ...more,
  }
  return { steps: [step] }
}

/** Runs a runbook while the sandbox is at fault. */
async function run(runbook: JsonObject, rules: readonly JsonObject[]) {
  const plan = compile(runbook, actions)
  const { received } = await sandbox.control('requests?limit=0')
  const { faults } = await sandbox.control('faults', rules)
  expect(faults).toHaveLength(rules.length)
  const events: TimedRunEvent[] = []
  const onEvent = (event: TimedRunEvent): number => events.push(event)
  const report = await runPlan(plan, { dataDir, actions, url: sandbox.url, onEvent })
  return { report, events, requests: await requestsAfter(received) }
}

/** Describes the chosen trials of each fault: what the run ends with, and what reached the service. */
export function describeFaults(choose: (all: readonly FaultTrial[]) => readonly FaultTrial[]): void {
  for (const row of faultCases) describeCases(row.fault, choose(trialsOf(row)), tryFault)
}

async function tryFault(trial: FaultTrial): Promise<void> {
  const { row } = trial
  const { expected, operation } = trial
  const rules = trial.rules.map((rule) => ({ operation, ...rule }))
  const { report, events, requests } = await run(runbookOf(trial), rules)
  const [step] = report.steps
  const { status, attempts, hasWarning } = expected
  const warnings = events.flatMap((event) =>
    event.type === 'attempt_succeeded' ? (event.warnings ?? []) : [],
  )
  const codes = codesOf(report.error)

  expect({ status: report.status, codes, attempts: step?.attempts }).toEqual({
    status,
    codes: expected.codes,
    attempts,
  })
  expect(step).toMatchObject({ path: 'one', status })
  expect(report.error?.code).toBe(status === 'unknown' ? 'OutcomeUnknown' : expected.codes[0])
  expect(warnings.length > 0).toBe(hasWarning)
  expect(requests.map((request) => request.operation)).toEqual(Array(attempts).fill(operation))
  expect(requests.flatMap((request) => request.unknown_fields)).toEqual([])
  checkExecuted(trial, requests)
  if (row.sizes) expect(requests.map(({ body }) => body.tools?.length)).toEqual(row.sizes)
  const finished = events.find((event) => event.type === 'step_finished')
  if (row.outputs && status === 'succeeded') expect(finished?.outputs).toMatchObject(row.outputs)
  if (row.signs && status === 'failed') expect(report.error?.details).toMatchObject({ signs: row.signs })
  if (operation === 'E6' && status === 'succeeded') {
    expect(readFileSync(join(report.artifacts_dir, 'record.ndjson'), 'utf8')).toMatch(
      /^\{"type":"session_meta".*\n$/s,
    )
  }
}

/** All operations at once are refused for being too frequent, and wait. */
export async function tryRefusedForBeingTooFrequent(): Promise<void> {
  const steps = Object.values(operations).map(({ id, name }) => ({
    id: id.toLowerCase(),
    uses: name,
    with: validBodies[id as OperationId],
    ...(id === 'E6' ? { 'save-as': 'too-frequent.ndjson' } : {}),
  }))
  const all = [{ id: 'all', parallel: steps }]
  const error = { code: 'RequestTooFrequently', retry_after: 1 }
  const rules = steps.map(({ uses }) => ({ operation: uses, error, times: 1 }))
  const { report, events, requests } = await run({ steps: all }, rules)
  expect(report.error).toBeUndefined()
  const ended = events.flatMap((event) => (event.type === 'step_finished' ? [event] : []))
  expect(ended.map(({ status, attempts }) => `${status} after ${attempts}`)).toEqual([
    ...steps.map(() => 'succeeded after 2'),
    `succeeded after ${2 * steps.length}`,
  ])
  expect(requests).toHaveLength(2 * steps.length)
  const waits = events.flatMap((event) => (event.type === 'waiting' ? [event.reason] : []))
  expect(waits.filter((reason) => reason === 'throttle').length).toBeGreaterThanOrEqual(steps.length)
  expect(waits).not.toContain('retry')
}

/** The code of a failure; of an unknown outcome, those of the attempts that led to it. */
function codesOf(
  error: { readonly code: string; readonly details?: unknown } | undefined,
): readonly string[] {
  if (error === undefined) return []
  if (error.code !== 'OutcomeUnknown') return [error.code]
  const { errors } = error.details as { errors: readonly { code: string }[] }
  return errors.map(({ code }) => code)
}

/** A create is executed at most once, and nothing more often than the list says. */
function checkExecuted({ row, expected, method }: FaultTrial, requests: readonly Seen[]): void {
  const executed = requests.filter((request) => request.executed).length
  if (operations[method].safety === 'create') expect(executed).toBeLessThanOrEqual(1)
  if (expected.status === 'succeeded') expect(executed).toBeGreaterThanOrEqual(1)
  if (row.executed === undefined) return
  const others = row.executed ? requests.length : 0
  expect(executed).toBe(row.executed || expected.status !== 'succeeded' ? others : 1)
}
