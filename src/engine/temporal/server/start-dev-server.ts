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

/** The types of search attributes, as the command line tool calls them. */
export type SearchAttributeKind = 'Text' | 'Keyword' | 'KeywordList' | 'Int' | 'Double' | 'Bool' | 'Datetime'

/** What a development server is started with. */
export interface DevServerOptions extends FindServerOptions {
  /** Registered before the server answers. */
  readonly searchAttributes?: Readonly<Record<string, SearchAttributeKind>>
  /** File for the state of the server, readable by the user alone; its folder is made. @default nothing is kept */
  readonly databaseFile?: string
  /** Serves the web UI as well. @default false */
  readonly hasUi?: boolean
  /** @default a free one */
  readonly port?: number
  /** @default a free one */
  readonly uiPort?: number
  /** Used where they are free, so that addresses stay the same from one start to the next. */
  readonly usualPorts?: { readonly server: number; readonly ui: number }
}

/** A Temporal server for development and tests. */
export interface DevServer {
  /** Host and port. */
  readonly address: string
  readonly namespace: string
  /** Address of the web UI. Missing without the UI, and for a server that ran before. */
  readonly uiAddress?: string
  /** Missing for a server that ran before. */
  readonly processId?: number
  /** When the server has ended. Never for one that ran before. */
  readonly ended: Promise<ProgramEnd>
  /** Ends the server and waits for its end. A server that ran before keeps running. */
  stop(): Promise<void>
}

const namespace = 'default'
const host = '127.0.0.1'
const maxWaitMs = 60_000
/** Another process can take a port between its choice and its use, so the start is repeated. */
const portTries = 3

/**
 * Starts the server that {@link findServer} finds. A running server is used as it is, and search attributes are not
 * registered there. The server ends with this process. Throws `TemporalUnavailable`.
 */
export async function startDevServer(options: DevServerOptions = {}): Promise<DevServer> {
  const found = await findServer(options)
  if (found.kind === 'running') {
    return { address: found.address, namespace, ended: new Promise(() => {}), stop: async () => {} }
  }
  if (options.databaseFile !== undefined) {
    await mkdir(dirname(options.databaseFile), { recursive: true, mode: 0o700 })
  }
  for (let tries = 1; ; tries += 1) {
    // Another process may have taken the port.
    const usual = tries === 1 ? options.usualPorts : undefined
    const port = await takePort(options.port, usual?.server)
    const uiPort = options.hasUi ? await takePort(options.uiPort, usual?.ui) : undefined
    const program = await spawnGuarded(found.path, serverWords(options, port, uiPort))
    const why = await waitForServer(program, `${host}:${port}`)
    if (why === undefined) return describe(program, port, uiPort)
    if (tries === portTries || !why.includes('address already in use')) {
      throw new RunbookError('TemporalUnavailable', `${found.path} does not start: ${why}`, { notSent: true })
    }
  }
}

/**
 * Checks the port itself: another server on the port would answer instead of the one that failed to start.
 */
async function takePort(wanted: number | undefined, usual: number | undefined): Promise<number> {
  if (wanted === undefined && usual !== undefined) {
    const free = await findFreePort(usual).catch(() => undefined)
    if (free !== undefined) return free
  }
  try {
    return await findFreePort(wanted)
  } catch (cause) {
    const message = `the Temporal server does not start: ${(cause as Error).message}`
    throw new RunbookError('TemporalUnavailable', message, { notSent: true, cause })
  }
}

function serverWords(options: DevServerOptions, port: number, uiPort: number | undefined): readonly string[] {
  const settings = Object.entries(dynamicConfig).map(([key, value]) => `${key}=${JSON.stringify(value)}`)
  const attributes = Object.entries(options.searchAttributes ?? {}).map(([name, kind]) => `${name}=${kind}`)
  return [
    ...['server', 'start-dev', '--log-level', 'error', '--ip', host, '--port', String(port)],
    ...(uiPort === undefined ? ['--headless'] : ['--ui-port', String(uiPort)]),
    ...(options.databaseFile === undefined ? [] : ['--db-filename', options.databaseFile]),
    ...settings.flatMap((setting) => ['--dynamic-config-value', setting]),
    ...attributes.flatMap((attribute) => ['--search-attribute', attribute]),
  ]
}

/** Why the server does not answer, after it was ended; undefined: it answers. */
async function waitForServer(program: GuardedProgram, address: string): Promise<string | undefined> {
  const ended = new AbortController()
  void program.ended.then(() => ended.abort())
  const why = await waitUntilReady(address, namespace, maxWaitMs, ended.signal)
  if (why === undefined && !ended.signal.aborted) return undefined
  await program.stop()
  const { output } = await program.ended
  return output === '' ? why : output
}

function describe(program: GuardedProgram, port: number, uiPort: number | undefined): DevServer {
  const { processId, ended } = program
  return {
    address: `${host}:${port}`,
    namespace,
    ...(uiPort === undefined ? {} : { uiAddress: `http://${host}:${uiPort}` }),
    processId,
    ended,
    stop: () => program.stop(),
  }
}

/**
 * Settings of a server besides its defaults, the same as in `deploy/temporal/dynamic-config.yaml`.
 *
 * With the defaults each shard reads its queues 20 times a second. A step then costs 100 ms, and a wait of less than
 * a second takes a second.
 */
export const dynamicConfig: Readonly<Record<string, JsonValue>> = {
  'history.transferProcessorMaxPollRPS': 1000,
  'history.timerProcessorMaxTimeShift': '10ms',
}

const lookAgainMs = 50
const answerMs = 2_000
/** The first pause between two connections; the default is 1 s. */
const channelArgs = { 'grpc.initial_reconnect_backoff_ms': lookAgainMs }

/** Waits until a server answers and has the namespace. Returns why it does not, when the time is up or it has ended. */
async function waitUntilReady(
  address: string,
  namespace: string,
  maxWaitMs: number,
  ended: AbortSignal,
): Promise<string | undefined> {
  const deadline = Date.now() + maxWaitMs
  const connection = Connection.lazy({ address, channelArgs })
  const ask = (): Promise<unknown> => connection.workflowService.describeNamespace({ namespace })
  const end = once(ended, 'abort').then(() => 'it has ended')
  try {
    for (;;) {
      const answer = connection.withDeadline(Date.now() + answerMs, ask).then(
        () => undefined,
        (error: Error) => error.message,
      )
      const failure = await Promise.race([answer, end])
      if (failure === undefined || ended.aborted || Date.now() > deadline) return failure
      await sleep(lookAgainMs)
    }
  } finally {
    await connection.close()
  }
}

/** A free port: the wanted one where it is named. Rejects with `EADDRINUSE` where another process has it. */
export async function findFreePort(wanted = 0): Promise<number> {
  const server = createServer().listen(wanted, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
