import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { newFolder } from './support/opsbook.ts'

const main = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url))
const tsx = fileURLToPath(import.meta.resolve('tsx'))

/** Makes a request, and would make more: of every kind that a run has. */
const runbook = (url: string): string => `apiVersion: opsbook/v1
name: tell
steps:
  - { id: look, uses: core/http, with: { url: "${url}" } }
  - { id: ask, if: "\${{ steps.look.outputs.status == 201 }}", uses: core/approve, with: { message: go? } }
  - { id: tell, if: "\${{ steps.look.outputs.status == 201 }}", uses: core/http, with: { method: POST, url: "${url}" } }
`
const tests = `runbook: ./tell.yaml
faults: each
defaults: { answers: { ask: {} } }
tests:
  - name: good
    calls: { core/http: { output: { status: 201 } } }
    expect: { status: succeeded }
  - name: without a script
    expect: { status: succeeded }
`

interface Watched {
  readonly code: number
  /** Whether the process could reach the server, or tried to reach anything. */
  readonly isOnline: boolean
}

/** A way in which the system tells what a process does to the network. */
interface Watch {
  readonly name: string
  run(words: readonly string[], folder: string): Promise<Watched>
}

/** Records each socket of an internet protocol that the process or a child of it opens. */
const strace: Watch = {
  name: 'strace',
  async run(words, folder) {
    const file = join(folder, 'trace.txt')
    const calls = 'trace=socket,connect,bind,sendto,sendmsg,sendmmsg'
    const code = await exitCode('strace', ['-f', '-qq', '-e', calls, '-o', file, ...program(words)], folder)
    return { code, isOnline: /\bAF_INET6?\b/.test(readFileSync(file, 'utf8')) }
  },
}

/** Runs the process where there is no network at all: not even that of this machine. What needs one fails. */
function withoutNetwork(flags: readonly string[]): Watch {
  return {
    name: `unshare ${flags.join(' ')}`,
    async run(words, folder) {
      const code = await exitCode('unshare', [...flags, ...program(words)], folder)
      const [online, offline] = [await exitCode(process.execPath, program(words).slice(1), folder), code]
      return { code, isOnline: online !== offline }
    },
  }
}

function program(words: readonly string[]): readonly string[] {
  return [process.execPath, '--import', tsx, main, ...words]
}

async function exitCode(command: string, words: readonly string[], folder: string): Promise<number> {
  const env = { ...process.env, OPSBOOK_DATA_DIR: join(folder, 'data'), NO_PROXY: '*' }
  return promisify(execFile)(command, [...words], { cwd: folder, env }).then(
    () => 0,
    (error: { readonly code?: number }) => (typeof error.code === 'number' ? error.code : -1),
  )
}

/** The ways that work here, for this user. */
async function watches(folder: string): Promise<readonly Watch[]> {
  const works = async (command: string, words: readonly string[]): Promise<boolean> =>
    (await exitCode(command, [...words, 'true'], folder)) === 0
  const unshare = [['--net'], ['--user', '--map-root-user', '--net']]
  const [flags] = await filterAsync(unshare, (one) => works('unshare', one))
  const isTraced = await works('strace', ['-f', '-qq', '-e', 'trace=socket', '-o', '/dev/null'])
  return [...(isTraced ? [strace] : []), ...(flags ? [withoutNetwork(flags)] : [])]
}

async function filterAsync<T>(list: readonly T[], keep: (one: T) => Promise<boolean>): Promise<readonly T[]> {
  const kept = await Promise.all(list.map(keep))
  return list.filter((_, index) => kept[index])
}

it('opsbook test and opsbook rehearse open no socket, as the system sees it', async (context) => {
  let requests = 0
  const server = createServer((socket) => {
    requests++
    socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-type: application/json\r\n\r\n{}')
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const url = `http://127.0.0.1:${(server.address() as { readonly port: number }).port}/`
  const folder = await newFolder({ 'tell.yaml': runbook(url), 'tell.test.yaml': tests })
  try {
    const found = await watches(folder)
    if (found.length === 0) {
      process.stderr.write('left out: neither strace nor unshare --net works here\n')
      context.skip('neither strace nor unshare --net works here')
    }
    for (const watch of found) {
      // A run does what a test must not: so this can fail.
      expect(await watch.run(['run', 'tell.yaml'], folder), watch.name).toMatchObject({ isOnline: true })
      const before = requests
      const watched = await watch.run(['test'], folder)
      expect(watched, watch.name).toEqual({ code: 1, isOnline: false })
      expect(await watch.run(['test', '--only', 'good'], folder), watch.name).toEqual({
        code: 0,
        isOnline: false,
      })
      const rehearsed = await watch.run(['rehearse', 'tell.yaml'], folder)
      expect(rehearsed, watch.name).toEqual({ code: 0, isOnline: false })
      expect(requests).toBe(before)
    }
  } finally {
    server.close()
  }
}, 240_000)
