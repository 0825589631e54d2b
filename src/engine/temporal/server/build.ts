import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { findOnPath, install } from './program.ts'
import { type NotFound, notFound, release, type Search, type ServerSource } from './server-source.ts'

const source = `github.com/temporalio/cli/cmd/temporal@v${release}`
const progressMs = 15_000

/** Builds the CLI from source with Go, which verifies the source through its module proxy. */
export const build: ServerSource = {
  name: () => 'a build with Go',
  async find(search) {
    const go = findOnPath('go', search.environment['PATH'])
    if (go === undefined) return notFound('"go" is not on the PATH')
    return await install(search.folder, (workshop) => buildInto(workshop, go, search))
  },
}

async function buildInto(workshop: string, go: string, search: Search): Promise<NotFound | undefined> {
  const { tell, signal, environment } = search
  tell(`building the Temporal server (release ${release}) with Go: some minutes, this once`)
  const began = Date.now()
  const child = spawn(go, ['install', '-v', source], {
    env: { ...environment, GOBIN: workshop },
    stdio: ['ignore', 'ignore', 'pipe'],
    ...(signal ? { signal } : {}),
  })
  const lines: string[] = []
  createInterface(child.stderr).on('line', (line) => lines.push(line))
  const progress = setInterval(() => {
    const seconds = Math.round((Date.now() - began) / 1000)
    tell(`still building: ${seconds} s, ${lines.length} packages so far`)
  }, progressMs)
  try {
    const [code, killedBy] = await once(child, 'close')
    if (code === 0) return undefined
    const end = killedBy ? `go was stopped by ${killedBy}` : `go ended with code ${code}`
    return notFound([end, ...lines.slice(-3)].join(': '))
  } catch (error) {
    return notFound((error as Error).message)
  } finally {
    clearInterval(progress)
  }
}
