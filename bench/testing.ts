/**
 * What a test of a runbook costs: 1,000 tests of `runbooks/answer-incident.yaml` in virtual time, the start of the process
 * included, against workflows of Arazzo with four calls by Redocly Respect, which sends them to a server of this
 * machine. Ours take less time for each.
 *
 *     npm run build && npx tsx bench/testing.ts [ROUNDS]
 */
import { execFile } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { parse } from 'yaml'
import { installRespect, runRespect } from './peers/respect.ts'
import { verdict } from './verdict.ts'

const rounds = Number(process.argv[2] ?? 3)
const program = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url))
const runbooks = fileURLToPath(new URL('../runbooks/', import.meta.url))
const tests = 1000
/** A test file has a largest size. */
const files = 4
const workflows = 100
/** Most tests of the runbook make more. */
const calls = 4

async function writeTests(folder: string): Promise<void> {
  for (const name of ['answer-incident.yaml', 'diagnose-host.yaml'])
    await cp(join(runbooks, name), join(folder, name))
  const { faults: _faults, ...document } = parse(
    await readFile(join(runbooks, 'answer-incident.test.yaml'), 'utf8'),
  )
  const own: readonly { readonly name: string }[] = document.tests
  const many = Array.from({ length: tests / files }, (_, index) => {
    const one = own[index % own.length]
    return { ...one, name: `${one?.name} ${index}` }
  })
  for (let index = 0; index < files; index++)
    await writeFile(join(folder, `many-${index}.test.yaml`), JSON.stringify({ ...document, tests: many }))
}

/** Milliseconds for each test. */
async function runOurs(folder: string): Promise<number> {
  const from = performance.now()
  const { stdout } = await promisify(execFile)(process.execPath, [program, 'test'], { cwd: folder })
  if (!stdout.includes(`${tests} tests: ${tests} passed`)) throw new Error(stdout)
  return (performance.now() - from) / tests
}

function api(baseUrl: string): string {
  return `openapi: 3.1.0
info: { title: Bench, version: 1.0.0 }
servers: [{ url: ${baseUrl} }]
paths:
  /call:
    post:
      operationId: call
      requestBody: { content: { application/json: { schema: { type: object } } } }
      responses: { '200': { description: ok, content: { application/json: { schema: { type: object } } } } }
`
}

function arazzo(): string {
  const steps = Array.from(
    { length: calls },
    (_, index) => `      - stepId: s${index}
        operationId: call
        requestBody: { contentType: application/json, payload: { incident: "1" } }
        successCriteria: [{ condition: $statusCode == 200 }]
`,
  ).join('')
  const all = Array.from(
    { length: workflows },
    (_, index) => `  - workflowId: w${index}\n    steps:\n${steps}`,
  )
  return `arazzo: 1.0.1
info: { title: Bench, version: 1.0.0 }
sourceDescriptions: [{ name: api, type: openapi, url: api.yaml }]
workflows:
${all.join('')}`
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? Number.NaN
}

const folder = await mkdtemp(join(tmpdir(), 'opsbook-bench-'))
const server = createServer((incoming, outgoing) => {
  incoming.resume().on('end', () => {
    outgoing.writeHead(200, { 'content-type': 'application/json' })
    outgoing.end('{"data":{}}')
  })
})
await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
try {
  await writeTests(folder)
  await installRespect(folder, api(`http://127.0.0.1:${(server.address() as AddressInfo).port}`), arazzo())
  const taken: (readonly [number, number])[] = []
  for (let round = 0; round < rounds; round++)
    taken.push([await runOurs(folder), (await runRespect(folder)) / workflows])
  const [ours, theirs] = [0, 1].map((side) => median(taken.map((pair) => pair[side] ?? Number.NaN)))
  console.log(`${ours?.toFixed(2)} ms a test against ${theirs?.toFixed(2)} ms a workflow by Respect`)
  verdict('a test against Respect', median(taken.map(([own, other]) => own / other)), 1)
} finally {
  server.close()
  await rm(folder, { recursive: true, force: true })
}
