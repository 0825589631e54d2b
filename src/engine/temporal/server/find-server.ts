import { mkdir } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Connection } from '@temporalio/client'
import { loadClientConnectConfig } from '@temporalio/envconfig'
import { RunbookError } from '../../../core/run-error.ts'
import { type FileLock, isBusy, lockFile } from '../../file-lock/index.ts'
import { build } from './build.ts'
import { download } from './download.ts'
import { checkProgram, findOnPath, isProgram, programFile, removeUnfinished } from './program.ts'
import {
  type Archive,
  type FoundServer,
  notFound,
  officialArchive,
  release,
  type Search,
  type ServerSource,
} from './server-source.ts'

/** How a server is searched. */
export interface FindServerOptions {
  /** @default that of the process */
  readonly environment?: Readonly<Record<string, string | undefined>>
  /**
   * Receives a line about each step that takes long: a download, a build, another process that does the same.
   */
  readonly tell?: (line: string) => void
  readonly signal?: AbortSignal
  /** @default the official one for this machine */
  readonly archive?: Archive
}

/**
 * A running Temporal server, or a program that starts one: downloaded or built where there is none.
 *
 * A server that is named in `TEMPORAL_ADDRESS` is the only one tried. Throws `TemporalUnavailable` with every source
 * that was tried, and why it failed.
 */
export async function findServer(options: FindServerOptions = {}): Promise<FoundServer> {
  const environment = options.environment ?? process.env
  const search: Search = {
    environment,
    folder: cacheFolder(environment),
    archive: options.archive ?? officialArchive(process.platform, process.arch),
    tell: options.tell ?? (() => {}),
    signal: options.signal,
  }
  const tried: string[] = []
  const named = await trySources([running], search, tried)
  if (named) return named
  if (environment['TEMPORAL_ADDRESS']) {
    const next = 'Start that server, or have one found and started here: unset TEMPORAL_ADDRESS'
    throw unavailable('the Temporal server does not answer', tried, { next })
  }
  const found = (await trySources([onPath, cached], search, tried)) ?? (await makeProgram(search, tried))
  if (found) return found
  throw unavailable('no Temporal server can be found or made', tried)
}

/** Downloads or builds the program into the cache, one process at a time. */
async function makeProgram(search: Search, tried: string[]): Promise<FoundServer | undefined> {
  const { folder, tell, signal } = search
  try {
    return await withCache(folder, tell, signal, async () => {
      // Another process may have finished while this one waited.
      const made = await trySources([cached], search, [])
      if (made) return made
      await removeUnfinished(folder)
      return await trySources([download, build], search, tried)
    })
  } catch (error) {
    signal?.throwIfAborted()
    tried.push(`a download or a build: ${(error as Error).message}`)
    return undefined
  }
}

/** The first source that has a server. Adds the others to `tried`. */
async function trySources(
  sources: readonly ServerSource[],
  search: Search,
  tried: string[],
): Promise<FoundServer | undefined> {
  for (const source of sources) {
    search.signal?.throwIfAborted()
    const found = await source.find(search).catch((error: Error) => notFound(error.message))
    if (found.kind !== 'none') return found
    tried.push(`${source.name(search)}: ${found.why}`)
  }
  return undefined
}

function unavailable(
  what: string,
  tried: readonly string[],
  more: { readonly next?: string } = {},
): RunbookError {
  return new RunbookError('TemporalUnavailable', `${what}; tried ${tried.join('; ')}`, {
    notSent: true,
    details: { tried: [...tried] },
    ...more,
  })
}

/** A program that was downloaded or built before. */
const cached: ServerSource = {
  name: ({ folder }) => `the cache ${folder}`,
  async find({ folder }) {
    const path = join(folder, programFile('temporal'))
    if (!isProgram(path)) return notFound('not there')
    const why = await checkProgram(path)
    return why === undefined ? { kind: 'program', path } : notFound(why)
  },
}

/** The Temporal CLI on the PATH. */
const onPath: ServerSource = {
  name: () => '"temporal" on the PATH',
  async find({ environment }) {
    const path = findOnPath('temporal', environment['PATH'])
    if (path === undefined) return notFound('not there')
    const why = await checkProgram(path)
    return why === undefined ? { kind: 'program', path } : notFound(why)
  },
}

const answerTimeoutMs = 5_000

/** A running server, with the settings that every Temporal tool reads. */
const running: ServerSource = {
  name: () => 'a running server (TEMPORAL_ADDRESS)',
  async find({ environment }) {
    if (!environment['TEMPORAL_ADDRESS']) return notFound('TEMPORAL_ADDRESS is not set')
    try {
      const set = Object.entries(environment).filter((one): one is [string, string] => one[1] !== undefined)
      const overrideEnvVars = Object.fromEntries(set)
      const { connectionOptions } = loadClientConnectConfig({ overrideEnvVars })
      const connection = await Connection.connect({ ...connectionOptions, connectTimeout: answerTimeoutMs })
      const { address } = connection.options
      await connection.close()
      return { kind: 'running', address }
    } catch (error) {
      return notFound(`${environment['TEMPORAL_ADDRESS']} does not answer: ${(error as Error).message}`)
    }
  },
}

const lookAgainMs = 250

/** Runs `work` while no other process uses the same cache. Reports when it has to wait. */
async function withCache<T>(
  folder: string,
  tell: (line: string) => void,
  signal: AbortSignal | undefined,
  work: () => Promise<T>,
): Promise<T> {
  await mkdir(folder, { recursive: true })
  const lock = await waitForLock(join(folder, '.lock'), tell, signal)
  try {
    return await work()
  } finally {
    lock.release()
  }
}

async function waitForLock(
  file: string,
  tell: (line: string) => void,
  signal: AbortSignal | undefined,
): Promise<FileLock> {
  for (let tries = 0; ; tries += 1) {
    try {
      return lockFile(file, 0)
    } catch (error) {
      if (!isBusy(error)) throw error
    }
    if (tries === 0) tell('waiting for another process that gets the Temporal server')
    await sleep(lookAgainMs, undefined, signal ? { signal } : {})
  }
}

/** Where the program of this release is kept for later. */
function cacheFolder(environment: Readonly<Record<string, string | undefined>>): string {
  const base = environment['XDG_CACHE_HOME'] || join(environment['HOME'] || homedir(), '.cache')
  return join(base, 'opsbook', 'temporal', release)
}
