/**
 * What a durable step costs. One server, and in turns:
 *
 * - a loop of sequential HTTP steps against a bare undici loop with the same commit a step: 1.5 times at most for
 *   each step and in memory, the same for 100, 1,000 and 10,000 of them; an item of 10,000 leaves 100 bytes at most;
 * - the same 1,000 steps by Redocly Respect, which keeps nothing: ours take less time for each;
 * - 200 calls at once against bare undici, which keeps nothing either: 2 times at most, since each call is recorded twice.
 *
 *     npm run build && npx tsx bench/steps.ts [ROUNDS]
 */
import { type ChildProcess, execFile, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { installRespect, runRespect } from './peers/respect.ts'
import { verdict } from './verdict.ts'

const rounds = Number(process.argv[2] ?? 5)
const peerScript = fileURLToPath(new URL('./steps-peer.mjs', import.meta.url))
const answer = JSON.stringify({
  request_id: 'req_0123456789',
  data: {
    items: [
      {
        rule_id: 'rule_1',
        rule_name: 'Ignore bots',
        filters: [],
        status: 'enabled',
        created_at: 1_767_225_600_000,
      },
    ],
  },
})

type Side = 'opsbook' | 'heap' | 'bare' | 'undici'

interface Taken {
  readonly milliseconds: number
  readonly peakMegabytes: number
  /** Of the side `heap`: what an item that has ended leaves in memory. */
  readonly bytesPerItem?: number
}

function serve(): void {
  const server = createServer((incoming, outgoing) => {
    incoming.resume().on('end', () => {
      outgoing.writeHead(200, { 'content-type': 'application/json', 'content-length': answer.length })
      outgoing.end(answer)
    })
  })
  server.keepAliveTimeout = 60_000
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
  process.on('disconnect', () => process.exit())
}

async function run(side: Side, baseUrl: string, count: number, parallel: number): Promise<Taken> {
  const dataDir = await mkdtemp(join(tmpdir(), 'opsbook-bench-'))
  try {
    const args = ['--expose-gc', peerScript, side, baseUrl, dataDir, String(count), String(parallel)]
    const { stdout } = await promisify(execFile)(process.execPath, args)
    return JSON.parse(stdout) as Taken
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
}

/** Both sides in turns, the first round to warm up. */
async function pairs(
  sides: readonly [Side, Side],
  baseUrl: string,
  count: number,
  parallel: number,
): Promise<readonly (readonly [Taken, Taken])[]> {
  const taken: (readonly [Taken, Taken])[] = []
  for (let round = 0; round <= rounds; round++) {
    const own = await run(sides[0], baseUrl, count, parallel)
    taken.push([own, await run(sides[1], baseUrl, count, parallel)])
  }
  return taken.slice(1)
}

function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((one, other) => one - other)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

async function sequential(baseUrl: string): Promise<number> {
  const perStep: number[] = []
  for (const count of [100, 1000, 10_000]) {
    const taken = await pairs(['opsbook', 'bare'], baseUrl, count, 1)
    const [own, bare] = [0, 1].map((side) =>
      median(taken.map((pair) => (pair[side] as Taken).milliseconds / count)),
    )
    console.log(`${count} steps: ${own?.toFixed(3)} ms against ${bare?.toFixed(3)} ms a step`)
    verdict(`${count} sequential steps`, median(taken.map(([a, b]) => a.milliseconds / b.milliseconds)), 1.5)
    verdict(`memory of ${count}`, median(taken.map(([a, b]) => a.peakMegabytes / b.peakMegabytes)), 1.5)
    perStep.push(own ?? Number.NaN)
  }
  const [, thousand = Number.NaN, tenThousand = Number.NaN] = perStep
  verdict('a step of 10,000 against one of 1,000', tenThousand / thousand, 1.2)
  const { bytesPerItem = Number.NaN } = await run('heap', baseUrl, 10_000, 50)
  verdict('memory that an item leaves, in 100 bytes', bytesPerItem / 100, 1)
  return thousand
}

async function atOnce(baseUrl: string): Promise<void> {
  const taken = await pairs(['opsbook', 'undici'], baseUrl, 10_000, 200)
  verdict('200 at once', median(taken.map(([a, b]) => a.milliseconds / b.milliseconds)), 2)
}

/** The same steps as a workflow of Arazzo. */
async function besideRespect(baseUrl: string, ownPerStep: number): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'opsbook-bench-'))
  try {
    await installRespect(folder, api(baseUrl), arazzo(1000))
    const theirs = (await runRespect(folder)) / 1000
    console.log(`1,000 steps: ${ownPerStep.toFixed(3)} ms a step against ${theirs.toFixed(3)} ms by Respect`)
    verdict('against Respect', ownPerStep / theirs, 1)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function api(baseUrl: string): string {
  return `openapi: 3.1.0
info: { title: Bench, version: 1.0.0 }
servers: [{ url: ${baseUrl} }]
paths:
  /rum/error-ingestion/rules/list:
    post:
      operationId: list
      requestBody: { content: { application/json: { schema: { type: object } } } }
      responses: { '200': { description: ok, content: { application/json: { schema: { type: object } } } } }
`
}

function arazzo(count: number): string {
  const steps = Array.from(
    { length: count },
    (_, index) => `      - stepId: s${index}
        operationId: list
        requestBody: { contentType: application/json, payload: { application_id: bench-application } }
        successCriteria: [{ condition: $statusCode == 200 }]
`,
  )
  return `arazzo: 1.0.1
info: { title: Bench, version: 1.0.0 }
sourceDescriptions: [{ name: api, type: openapi, url: api.yaml }]
workflows:
  - workflowId: main
    steps:
${steps.join('')}`
}

async function main(): Promise<void> {
  const server: ChildProcess = fork(fileURLToPath(import.meta.url), ['serve'])
  const [port] = (await once(server, 'message')) as [number]
  const baseUrl = `http://127.0.0.1:${port}`
  const ownPerStep = await sequential(baseUrl)
  await atOnce(baseUrl)
  await besideRespect(baseUrl, ownPerStep)
  server.disconnect()
}

if (process.argv[2] === 'serve') serve()
else await main()
