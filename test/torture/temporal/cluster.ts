import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Client } from '@temporalio/client'
import { createActions } from 'opsbook'
import type { Engine } from '../../../src/engine/engine.ts'
import { connectClient, openTemporalEngine } from '../../../src/engine/temporal/index.ts'
import { type OwnServer, openOwnServer } from '../../engine/temporal/support/own-server.ts'
import { retryStart } from '../../support/retry-start.ts'
import { type SandboxProcess, startSandboxProcess } from '../sandbox-process.ts'
import { startWorkers, type Workers } from './workers.ts'

/** What the rounds of the Temporal engine share: a server, three workers, and the sandbox, which nobody kills. */
export interface Cluster {
  readonly server: OwnServer
  readonly workers: Workers
  readonly sandbox: SandboxProcess
  readonly client: Client
  readonly engine: Engine
  readonly taskQueue: string
  readonly dataDir: string
  close(): Promise<void>
}

const taskQueue = 'torture'

/** Starts all of it, and resolves once the workers take work. */
export async function startCluster(): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), 'opsbook-torture-temporal-'))
  const dataDir = join(folder, 'data')
  const server = await openOwnServer()
  const sandbox = await retryStart(() => startSandboxProcess(join(folder, 'sandbox.json')))
  const workers = startWorkers(3, {
    HOME: folder,
    TEMPORAL_ADDRESS: server.address,
    OPSBOOK_TASK_QUEUE: taskQueue,
    OPSBOOK_BASE_URL: sandbox.url,
    OPSBOOK_APP_KEY: 'sandbox-owner',
    OPSBOOK_DATA_DIR: dataDir,
  })
  const settings = { address: server.address, namespace: 'default', taskQueue }
  const client = await retryStart(() => connectClient(settings))
  const loadActions = async () => createActions([])
  const engine = openTemporalEngine({ client, taskQueue, dataDir, loadActions })
  await workers.ready()
  return {
    ...{ server, workers, sandbox, client, engine, taskQueue, dataDir },
    async close() {
      await workers.close()
      await engine.close()
      await server.close()
      await sandbox.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
