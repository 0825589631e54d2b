import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Client } from '@temporalio/client'
import { type Action, checkInputs, createActions, type JsonObject, loadRunbook, type Plan } from 'opsbook'
import { createClient, type Client as ServiceClient } from 'opsbook/api'
import { startSandbox } from 'opsbook/sandbox'
import type { Engine } from '../../../../src/engine/index.ts'
import type { RunHandle } from '../../../../src/engine/record/run-handle.ts'
import {
  connectClient,
  type NoticePort,
  openTemporalEngine,
  openTemporalLimits,
  type StartedWorker,
  type StartOptions,
  startRun,
  startWorker,
  type TemporalSettings,
  type WorkerDeployment,
  type WorkerRole,
} from '../../../../src/engine/temporal/index.ts'
import { callbacks, consoleUrl } from '../../../conformance/callbacks.ts'
import { retryStart } from '../../../support/retry-start.ts'

/** A worker of its own on the server of all tests, with a sandbox to call. */
export interface Stage {
  readonly client: Client
  /** Of the client. */
  readonly engine: Engine
  readonly taskQueue: string
  /** Of the server and the queue. */
  readonly settings: TemporalSettings
  readonly dataDir: string
  readonly service: ServiceClient
  readonly sandboxUrl: string
  /** `files`: the runbooks that its steps run, by their paths. */
  compile(runbook: JsonObject, files?: Readonly<Record<string, JsonObject>>): Plan
  start(
    plan: Plan,
    options?: Pick<StartOptions, 'mostEvents' | 'approve' | 'lostCreateWaitMs'> & { inputs?: JsonObject },
  ): Promise<RunHandle>
  /** Ends its worker alone. */
  stopWorker(): Promise<void>
  /** Starts a worker like its own, or one of another role. */
  startWorker(role?: WorkerRole): Promise<StartedWorker>
  close(): Promise<void>
}

/** What a stage can be opened with besides actions. */
export interface StageOptions {
  /** @default one of its own */
  readonly taskQueue?: string
  readonly notices?: NoticePort
  /** The version of the code of its worker. @default none */
  readonly deployment?: WorkerDeployment
  /** Its calls share rate limits and targets with others, for the account `staged`. @default they share nothing */
  readonly sharesLimits?: true
  /** What its worker takes. @default 'both' */
  readonly role?: WorkerRole
}

let stages = 0

/** Opens a stage; `own` are actions besides those that are built in, or instead of them. */
export async function openStage(
  address: string,
  own: readonly Action[] = [],
  {
    taskQueue = `test-${process.pid}-${++stages}`,
    notices,
    deployment,
    sharesLimits,
    role,
  }: StageOptions = {},
): Promise<Stage> {
  const dataDir = mkdtempSync(join(tmpdir(), 'opsbook-temporal-'))
  const sandbox = await startSandbox({ port: 0 })
  const replaced = new Set(own.map(({ name }) => name))
  const actions = [...createActions().filter(({ name }) => !replaced.has(name)), ...own]
  const settings = { address, namespace: 'default', taskQueue }
  const limits = sharesLimits && (await retryStart(() => openTemporalLimits(settings)))
  const { budget, targetLocks } = limits ?? {}
  const service = createClient({
    baseUrl: sandbox.url,
    appKey: 'sandbox-owner',
    ...(budget && targetLocks ? { budget, targetLocks, account: 'staged' } : {}),
  })
  const openWorker = (workerRole: WorkerRole = 'both'): Promise<StartedWorker> =>
    startWorker({
      ...settings,
      role: workerRole,
      actions,
      connect: () => service,
      secrets: { resolve: async (name) => `value of ${name}` },
      checkInputs: (child, given) => checkInputs(child as Plan, given),
      callbacks,
      consoleUrl,
      dataDir,
      ...(notices === undefined ? {} : { notices }),
      ...(deployment === undefined ? {} : { deployment }),
    })
  const worker = await retryStart(() => openWorker(role))
  const client = await retryStart(() => connectClient(settings))
  return {
    client,
    engine: openTemporalEngine({ client, taskQueue, dataDir, loadActions: async () => actions }),
    taskQueue,
    settings,
    dataDir,
    service,
    sandboxUrl: sandbox.url,
    compile(runbook, files = {}) {
      const text = (whole: JsonObject): string =>
        JSON.stringify({ apiVersion: 'opsbook/v1', name: 'staged', ...whole })
      const readRunbook = (path: string) =>
        files[path] && text({ name: path.replace('.yaml', ''), ...files[path] })
      const { plan, diagnostics } = loadRunbook(text(runbook), actions, { readRunbook })
      if (!plan) throw new Error(JSON.stringify(diagnostics))
      return plan
    },
    start: (plan, { inputs = {}, ...options } = {}) =>
      startRun({ client, taskQueue, dataDir, plan, inputs: checkInputs(plan, inputs).inputs, ...options }),
    stopWorker: () => worker.stop(),
    startWorker: openWorker,
    async close() {
      await worker.stop()
      await client.connection.close()
      await service.close()
      await limits?.close()
      await sandbox.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
