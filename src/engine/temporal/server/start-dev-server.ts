import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { RunbookError } from '../../../core/run-error.ts'
import { dynamicConfig } from './dynamic-config.ts'
import { findFreePort } from './find-free-port.ts'
import { type FindServerOptions, findServer } from './find-server.ts'
import { type GuardedProgram, type ProgramEnd, spawnGuarded } from './spawn-guarded.ts'
import { waitUntilReady } from './wait-until-ready.ts'

/** The types of search attributes, as the command line tool calls them. */
export type SearchAttributeKind = 'Text' | 'Keyword' | 'KeywordList' | 'Int' | 'Double' | 'Bool' | 'Datetime'

/** What a development server is started with. */
export interface DevServerOptions extends FindServerOptions {
  /** Registered before the server answers. */
  readonly searchAttributes?: Readonly<Record<string, SearchAttributeKind>>
  /** Keeps what the server knows, for the user alone; its folder is made. @default nothing is kept */
  readonly databaseFile?: string
  /** Serves the web UI as well. @default false */
  readonly hasUi?: boolean
  /** @default a free one */
  readonly port?: number
  /** @default a free one */
  readonly uiPort?: number
  /** Taken where they are free, so that addresses stay from one start to the next. */
  readonly usualPorts?: { readonly server: number; readonly ui: number }
}

/** A Temporal server for development and tests. */
export interface DevServer {
  /** Host and port. */
  readonly address: string
  readonly namespace: string
  /** Where a person looks at it. Missing without the UI, and for a server that ran before. */
  readonly uiAddress?: string
  /** Missing for a server that ran before. */
  readonly processId?: number
  /** When the server has ended, by `stop` or by itself. Never for one that ran before. */
  readonly ended: Promise<ProgramEnd>
  /** Ends it and waits for the end. A server that ran before goes on. */
  stop(): Promise<void>
}

const namespace = 'default'
const host = '127.0.0.1'
const patienceMs = 60_000
/** Between the choice of a port and its use somebody else can take it. */
const portTries = 3

/**
 * Starts the server that {@link findServer} finds; one that runs is taken as it is, and search attributes are not
 * registered there. It ends with this process, however that ends. Throws `TemporalUnavailable`.
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
    // Somebody else may just have taken what seemed to be free.
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

/** Looks itself: another server that has the port would answer in the place of the one that did not get it. */
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

/** Nothing, or why the server does not answer, after it was ended. */
async function waitForServer(program: GuardedProgram, address: string): Promise<string | undefined> {
  const ended = new AbortController()
  void program.ended.then(() => ended.abort())
  const why = await waitUntilReady(address, namespace, patienceMs, ended.signal)
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
