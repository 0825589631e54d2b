/**
 * What a rehearsal costs: 200 recorded runs of 40 calls, with a runbook that has changed at its end, the
 * start of the process included. It takes ten seconds at most.
 *
 *     npm run build && npx tsx bench/rehearse.ts [ROUNDS]
 */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { checkInputs, createActions, loadRunbook, startRun } from '../src/index.ts'
import { verdict } from './verdict.ts'

const rounds = Number(process.argv[2] ?? 3)
const program = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url))
const runs = 200
const hosts = 20
const limitSeconds = 10

function runbook(url: string, last: string): string {
  return `apiVersion: opsbook/v1
name: fleet
inputs: { properties: { hosts: { type: array, items: { type: string } } }, required: [hosts] }
steps:
  - id: hosts
    for-each: { items: "\${{ inputs.hosts }}", as: host, max-parallel: 10 }
    steps:
      - { id: look, uses: core/http, with: { url: "${url}\${{ host }}" } }
      - { id: again, uses: core/http, with: { url: "${url}\${{ steps.look.outputs.body.name }}/again" } }
  - { id: last, ${last}uses: core/log, with: { message: done } }
`
}

async function record(dataDir: string, text: string): Promise<void> {
  const actions = createActions()
  const { plan } = loadRunbook(text, actions)
  if (!plan) throw new Error('the runbook is not valid')
  const connect = (): never => {
    throw new Error('the runbook needs no service')
  }
  for (let index = 0; index < runs; index++) {
    const names = Array.from({ length: hosts }, (_, host) => `host-${index}-${host}`)
    const handle = await startRun({ plan, inputs: { hosts: names }, actions, connect, checkInputs, dataDir })
    const { status, error } = await handle.result
    if (status !== 'succeeded') throw new Error(`${status}: ${error?.message}`)
  }
}

/** Seconds from the start of the process to its end. */
async function rehearse(folder: string, changed: string): Promise<number> {
  await writeFile(join(folder, 'fleet.yaml'), changed)
  const from = performance.now()
  const { stdout } = await promisify(execFile)(process.execPath, [program, 'rehearse', 'fleet.yaml'], {
    cwd: folder,
    env: { ...process.env, OPSBOOK_DATA_DIR: join(folder, 'data') },
  })
  if (!stdout.includes(`${runs} would skip last`)) throw new Error(stdout)
  return (performance.now() - from) / 1000
}

const folder = await mkdtemp(join(tmpdir(), 'opsbook-bench-'))
const server = createServer((incoming, outgoing) => {
  incoming.resume().on('end', () => {
    outgoing.writeHead(200, { 'content-type': 'application/json' })
    outgoing.end(JSON.stringify({ name: incoming.url?.slice(1) }))
  })
})
await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
try {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  await record(join(folder, 'data'), runbook(url, ''))
  const taken: number[] = []
  for (let round = 0; round < rounds; round++)
    taken.push(await rehearse(folder, runbook(url, 'if: "${{ size(inputs.hosts) > 100 }}", ')))
  const middle = taken.sort((one, other) => one - other)[Math.floor(rounds / 2)] ?? Number.NaN
  console.log(`${middle.toFixed(2)} s for ${runs} runs of ${2 * hosts} calls`)
  verdict(`a rehearsal of ${runs} runs against ${limitSeconds} s`, middle / limitSeconds, 1)
} finally {
  server.close()
  await rm(folder, { recursive: true, force: true })
}
