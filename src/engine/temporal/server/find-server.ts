import { RunbookError } from '../../../core/run-error.ts'
import { cacheFolder } from './cache-folder.ts'
import { removeUnfinished } from './install.ts'
import { type Archive, officialArchive } from './release.ts'
import { type FoundServer, notFound, type Search, type Way } from './way.ts'
import { build } from './ways/build.ts'
import { cached } from './ways/cached.ts'
import { download } from './ways/download.ts'
import { onPath } from './ways/on-path.ts'
import { running } from './ways/running.ts'
import { withCache } from './with-cache.ts'

/** How a server is looked for. */
export interface FindServerOptions {
  /** @default that of the process */
  readonly environment?: Readonly<Record<string, string | undefined>>
  /** Told, in a line, of what takes long: a download, a build, another process that is at it. */
  readonly tell?: (line: string) => void
  readonly signal?: AbortSignal
  /** @default the official one for this machine */
  readonly archive?: Archive
}

/**
 * A Temporal server that runs, or a program that can start one: it is downloaded or built where there is none.
 *
 * A server that is named in `TEMPORAL_ADDRESS` is taken or nothing: nobody who names one wants another. Throws
 * `TemporalUnavailable` with every way that was tried, and why it led to nothing.
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
  const named = await tryWays([running], search, tried)
  if (named) return named
  if (environment['TEMPORAL_ADDRESS']) {
    const next = 'Start that server, or have one found and started here: unset TEMPORAL_ADDRESS'
    throw unavailable('the Temporal server does not answer', tried, { next })
  }
  const found = (await tryWays([onPath, cached], search, tried)) ?? (await makeProgram(search, tried))
  if (found) return found
  throw unavailable('no Temporal server can be found or made', tried)
}

/** Gets the program into the cache, one process at a time. */
async function makeProgram(search: Search, tried: string[]): Promise<FoundServer | undefined> {
  const { folder, tell, signal } = search
  try {
    return await withCache(folder, tell, signal, async () => {
      // Another process may have got it while this one waited.
      const made = await tryWays([cached], search, [])
      if (made) return made
      await removeUnfinished(folder)
      return await tryWays([download, build], search, tried)
    })
  } catch (error) {
    signal?.throwIfAborted()
    tried.push(`a download or a build: ${(error as Error).message}`)
    return undefined
  }
}

/** The first way that leads to a server. Adds to `tried` what led to none. */
async function tryWays(
  ways: readonly Way[],
  search: Search,
  tried: string[],
): Promise<FoundServer | undefined> {
  for (const way of ways) {
    search.signal?.throwIfAborted()
    const found = await way.find(search).catch((error: Error) => notFound(error.message))
    if (found.kind !== 'none') return found
    tried.push(`${way.name(search)}: ${found.why}`)
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
