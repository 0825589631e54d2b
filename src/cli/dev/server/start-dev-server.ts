import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Connection } from '@temporalio/client'
import type { JsonValue } from '../../../core/json.ts'
import { RunbookError } from '../../../core/run-error.ts'
import { type FindServerOptions, findServer } from './find-server.ts'
import { type GuardedProgram, type ProgramEnd, spawnGuarded } from './spawn-guarded.ts'

/** What a development server is started with. */
export interface DevServerOptions extends FindServerOptions {
  /** Their names and types, registered before the server answers. */
  readonly searchAttributes?: Readonly<Record<string, string>>
  /** File for the state of the server, readable by the user alone; its folder is made. @default nothing is kept */
  readonly databaseFile?: string
  /** Used where it is free. @default another one */
  readonly port?: number
  /** Of the web UI, used where it is free. @default no web UI */
  readonly uiPort?: number
}

/** A Temporal server for development and tests, with the namespace `default`. It ends with this process. */
export interface DevServer extends GuardedProgram {
  /** Host and port. */
  readonly address: string
  /** Address of the web UI. */
  readonly uiAddress?: string
}

const host = '127.0.0.1'
const maxWaitMs = 60_000

/**
 * Settings of a server besides its defaults, the same as in `deploy/temporal/dynamic-config.yaml`.
 *
 * With the defaults each shard reads its queues 20 times a second. A step then costs 100 ms, and a wait of less than
 * a second takes a second. A workflow takes ten updates at a time, so that a crowd at one rate limiter is refused.
 */
export const dynamicConfig: Readonly<Record<string, JsonValue>> = {
  'history.transferProcessorMaxPollRPS': 1000,
  'history.timerProcessorMaxTimeShift': '10ms',
  'history.maxInFlightUpdates': 1000,
}

/** Starts the server that {@link findServer} finds. Throws `TemporalUnavailable`. */
export async function startDevServer(options: DevServerOptions): Promise<DevServer> {
  const { databaseFile, searchAttributes = {} } = options
  const path = await findServer(options)
  if (databaseFile !== undefined) await mkdir(dirname(databaseFile), { recursive: true, mode: 0o700 })
  const port = await findFreePort(options.port)
  const uiPort = options.uiPort === undefined ? undefined : await findFreePort(options.uiPort)
  const settings = Object.entries(dynamicConfig).map(([key, value]) => `${key}=${JSON.stringify(value)}`)
  const attributes = Object.entries(searchAttributes).map(([name, kind]) => `${name}=${kind}`)
  const program = await spawnGuarded(path, [
    ...['server', 'start-dev', '--log-level', 'error', '--ip', host, '--port', String(port)],
    ...(uiPort === undefined ? ['--headless'] : ['--ui-port', String(uiPort)]),
    ...(databaseFile === undefined ? [] : ['--db-filename', databaseFile]),
    ...settings.flatMap((setting) => ['--dynamic-config-value', setting]),
    ...attributes.flatMap((attribute) => ['--search-attribute', attribute]),
  ])
  const address = `${host}:${port}`
  const why = await waitUntilReady(address, program)
  if (why === undefined)
    return { ...program, address, ...(uiPort === undefined ? {} : { uiAddress: `http://${host}:${uiPort}` }) }
  await program.stop()
  throw new RunbookError('TemporalUnavailable', `${path} does not start: ${why}`, { notSent: true })
}

const lookAgainMs = 50
const answerMs = 2_000
/** The first pause between two connections; the default is 1 s. */
const channelArgs = { 'grpc.initial_reconnect_backoff_ms': lookAgainMs }

/** Waits until the server has its namespace. Returns why it does not, when the time is up or the server has ended. */
async function waitUntilReady(address: string, { ended }: GuardedProgram): Promise<string | undefined> {
  const deadline = Date.now() + maxWaitMs
  const connection = Connection.lazy({ address, channelArgs })
  const ask = (): Promise<unknown> => connection.workflowService.describeNamespace({ namespace: 'default' })
  let end: ProgramEnd | undefined
  void ended.then((reached) => {
    end = reached
  })
  try {
    for (;;) {
      const failure = await connection.withDeadline(Date.now() + answerMs, ask).then(
        () => undefined,
        (error: Error) => error.message,
      )
      // Another server may answer at the port that this one could not have.
      if (end) return end.output === '' ? 'it has ended' : end.output
      if (failure === undefined || Date.now() > deadline) return failure
      await sleep(lookAgainMs)
    }
  } finally {
    await connection.close()
  }
}

/** A free port of this machine: the preferred one where it is free. */
export async function findFreePort(preferred = 0): Promise<number> {
  const server = createServer().listen(preferred, host)
  try {
    await once(server, 'listening')
  } catch (error) {
    if (preferred === 0) throw error
    return await findFreePort()
  }
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
