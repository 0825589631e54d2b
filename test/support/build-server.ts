import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  cacheFolder,
  type FindServerOptions,
  findServer,
  release,
} from '../../src/cli/dev/server/find-server.ts'
import { type FileLock, isBusy, lockFile } from '../../src/engine/file-lock/index.ts'

const source = `github.com/temporalio/cli/cmd/temporal@v${release}`
const progressMs = 15_000
const lookAgainMs = 250
const nowhere = { url: 'http://127.0.0.1:9/', sha256: '' }

/**
 * Builds the CLI into the cache with Go, one process at a time. Go verifies the source through its module proxy. Returns
 * why there is no program; undefined where there is one.
 */
export async function buildServer(options: FindServerOptions): Promise<string | undefined> {
  const folder = cacheFolder(options.environment)
  try {
    await mkdir(folder, { recursive: true })
    const lock = await waitForLock(join(folder, '.lock'), options.tell)
    try {
      // Another process may have finished while this one waited.
      if (await findServer({ ...options, archive: nowhere }).catch(() => undefined)) return undefined
      return await build(folder, options)
    } finally {
      lock.release()
    }
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT'
      ? '"go" is not on the PATH'
      : (error as Error).message
  }
}

async function waitForLock(file: string, tell: FindServerOptions['tell']): Promise<FileLock> {
  for (let tries = 0; ; tries += 1) {
    try {
      return lockFile(file, 0)
    } catch (error) {
      if (!isBusy(error)) throw error
    }
    if (tries === 0) tell('waiting for another process that builds the Temporal server')
    await sleep(lookAgainMs)
  }
}

async function build(folder: string, { environment, tell }: FindServerOptions): Promise<string | undefined> {
  tell(`building the Temporal server (release ${release}) with Go: some minutes, this once`)
  const began = Date.now()
  const workshop = join(folder, '.unfinished-build')
  // A killed process may have left it.
  await rm(workshop, { recursive: true, force: true })
  const lines: string[] = []
  const progress = setInterval(() => {
    const seconds = Math.round((Date.now() - began) / 1000)
    tell(`still building: ${seconds} s, ${lines.length} packages so far`)
  }, progressMs)
  try {
    const go = spawn('go', ['install', '-v', source], {
      env: { ...environment, GOBIN: workshop },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    createInterface(go.stderr).on('line', (line) => lines.push(line))
    const [code, killedBy] = await once(go, 'close')
    const end = killedBy ? `go was stopped by ${killedBy}` : `go ended with code ${code}`
    if (code !== 0) return [end, ...lines.slice(-3)].join(': ')
    await rename(join(workshop, 'temporal'), join(folder, 'temporal'))
    return undefined
  } finally {
    clearInterval(progress)
    await rm(workshop, { recursive: true, force: true })
  }
}
