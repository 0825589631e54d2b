import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { EnvHttpProxyAgent, fetch } from 'undici'
import { noProxy } from '../../../api/http/index.ts'
import { RunbookError } from '../../../core/run-error.ts'

/** The release of the Temporal CLI that is downloaded, with which the engine was measured. */
export const release = '1.5.1'
/** The oldest server that has what the engine needs. */
const oldestServer = '1.29'
/** Of the official archives. */
const hashes: Readonly<Record<string, string>> = {
  darwin_amd64: 'bbb73e2a31135abe50a1f1cdb35030c42961df618e8ce9c60ae89f201540c5d9',
  darwin_arm64: 'cca01b7ea35ad56e2a328d9ae596bf716bd22313ef63c7a761c88354457c2415',
  linux_amd64: 'ddc95e08b0b076efd4ea9733a3f488eb7d2be875f8834e616cd2a37358b4852d',
  linux_arm64: 'bd1b0db9f18b051026de8bf6cc1505f2510f14bbb7a8b9a4a91fff46c77454f5',
}
const programFile = process.platform === 'win32' ? 'temporal.exe' : 'temporal'
/** Until a program says its version. */
const versionMs = 20_000
/** Without a network, a download fails after the first time. The second is that between two pieces of the archive. */
const downloadLimits = { connect: { timeout: 5_000 }, headersTimeout: 5_000, bodyTimeout: 30_000 }

/** An archive of the Temporal CLI. */
export interface Archive {
  readonly url: string
  readonly sha256: string
}

/** How a server is searched. */
export interface FindServerOptions {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Receives a line about each step that takes long. */
  readonly tell: (line: string) => void
  /** @default the official one for this machine */
  readonly archive?: Archive | undefined
}

/**
 * The path of the Temporal CLI: from the `PATH`, from the cache, or downloaded into the cache. Throws
 * `TemporalUnavailable` with every source that was tried, and why it failed.
 */
export async function findServer(options: FindServerOptions): Promise<string> {
  const { environment, tell, archive = officialArchive(process.platform, process.arch) } = options
  const folder = cacheFolder(environment)
  const sources: Readonly<Record<string, () => Promise<string | undefined>>> = {
    '"temporal" on the PATH': async () => firstProgram((environment['PATH'] ?? '').split(delimiter)),
    [`the cache ${folder}`]: async () => firstProgram([folder]),
    'a download': async () => await download(archive, folder, tell),
  }
  const tried: string[] = []
  for (const [name, find] of Object.entries(sources)) {
    try {
      const path = await find()
      const why = path === undefined ? 'not there' : await whyUnusable(path)
      if (path !== undefined && why === undefined) return path
      tried.push(`${name}: ${why}`)
    } catch (error) {
      const { cause, message } = error as Error
      // The cause of a fetch error has the reason.
      tried.push(`${name}: ${cause instanceof Error ? cause.message : message}`)
    }
  }
  const message = `no Temporal server can be found or downloaded; tried ${tried.join('; ')}`
  throw new RunbookError('TemporalUnavailable', message, {
    notSent: true,
    details: { tried },
    next: `Install the command line tool of Temporal, so that "temporal" is on the PATH: https://docs.temporal.io/cli, or "go install github.com/temporalio/cli/cmd/temporal@v${release}". Or name a running server in TEMPORAL_ADDRESS.`,
  })
}

/** Where the program of this release is kept for later. */
export function cacheFolder(environment: FindServerOptions['environment']): string {
  const base = environment['XDG_CACHE_HOME'] || join(environment['HOME'] || homedir(), '.cache')
  return join(base, 'opsbook', 'temporal', release)
}

/** The official archive for a machine, if its hash is known. */
export function officialArchive(platform: string, architecture: string): Archive | undefined {
  const name = `${platform}_${architecture === 'x64' ? 'amd64' : architecture}`
  const sha256 = hashes[name]
  const url = `https://github.com/temporalio/cli/releases/download/v${release}/temporal_cli_${release}_${name}.tar.gz`
  return sha256 === undefined ? undefined : { url, sha256 }
}

function firstProgram(folders: readonly string[]): string | undefined {
  const files = folders.filter((folder) => folder !== '').map((folder) => join(folder, programFile))
  return files.find((file) => existsSync(file))
}

/** Why a program cannot be used as the server; undefined where it can. */
async function whyUnusable(path: string): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)(path, ['--version'], { timeout: versionMs })
    // Not the version of the CLI: a CLI that was built from source does not know its version.
    const server = /\bServer (\d+\.\d+)/.exec(stdout)?.[1]
    if (server === undefined) return `${path} is no Temporal command line tool with a server in it`
    const isOld = server.localeCompare(oldestServer, 'en', { numeric: true }) < 0
    return isOld ? `${path} has Temporal server ${server} in it, and ${oldestServer} is needed` : undefined
  } catch (error) {
    return `${path} does not run: ${(error as Error).message.trim().split('\n').at(-1)}`
  }
}

/** Moves the program into the cache once it is complete: the cache never has a part of one. */
async function download(
  archive: Archive | undefined,
  folder: string,
  tell: (line: string) => void,
): Promise<string> {
  if (!archive) throw new Error(`no archive is known for ${process.platform} on ${process.arch}`)
  const { host } = new URL(archive.url)
  await mkdir(folder, { recursive: true })
  const dispatcher = new EnvHttpProxyAgent({ ...downloadLimits, noProxy: noProxy() })
  const workshop = await mkdtemp(join(folder, '.unfinished-'))
  try {
    const answer = await fetch(archive.url, { dispatcher })
    if (!answer.ok) throw new Error(`${host}: status ${answer.status}`)
    tell(`downloading the Temporal server (release ${release}) from ${host}`)
    const bytes = new Uint8Array(await answer.arrayBuffer())
    const hash = createHash('sha256').update(bytes).digest('hex')
    if (hash !== archive.sha256) throw new Error(`the file from ${host} is not the archive of ${release}`)
    const file = join(workshop, 'archive.tar.gz')
    await writeFile(file, bytes)
    await promisify(execFile)('tar', ['-xzf', file, '-C', workshop, programFile])
    await rename(join(workshop, programFile), join(folder, programFile))
    return join(folder, programFile)
  } finally {
    await rm(workshop, { recursive: true, force: true })
    await dispatcher.destroy()
  }
}
