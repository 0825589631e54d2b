// One side of bench/steps.ts, in a process of its own without a TypeScript loader, whose memory would count.
//     node --expose-gc bench/steps-peer.mjs (opsbook | heap | bare | undici) URL DATA_DIR COUNT PARALLEL
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { request } from 'undici'

const [side, baseUrl, dataDir, countText, parallelText] = process.argv.slice(2)
const [count, parallel] = [Number(countText), Number(parallelText)]
const appKey = 'bench-key-0123456789'
const input = { application_id: 'bench-application' }

const runbook = `apiVersion: opsbook/v1
name: bench
inputs: { type: object, required: [items], properties: { items: { type: array } } }
steps:
  - id: each
    for-each: { items: "\${{ inputs.items }}", max-parallel: ${parallel} }
    uses: rum/error-ingestion/rules/list
    with: { application_id: ${input.application_id} }
`

async function opsbook(onEvent) {
  const { checkInputs, createActions, loadRunbook, startRun } = await import('../dist/index.js')
  const { createClient } = await import('../dist/api/index.js')
  const actions = createActions()
  const { plan, diagnostics } = loadRunbook(runbook, actions)
  if (!plan) throw new Error(JSON.stringify(diagnostics))
  const client = createClient({ baseUrl, appKey, limits: 'off', proxy: 'none' })
  const inputs = { items: Array.from({ length: count }, (_, index) => index) }
  return measure(async () => {
    const connect = () => client
    const { result } = await startRun({
      plan,
      inputs,
      actions,
      connect,
      checkInputs,
      dataDir,
      ...(onEvent && { onEvent }),
    })
    const { status, error } = await result
    if (status !== 'succeeded') throw new Error(JSON.stringify(error))
    await client.close()
  })
}

/** The same run, with what is on the heap after each tenth of the items: to look there takes time of its own. */
async function heap() {
  const heaps = []
  let ended = 0
  await opsbook(({ type }) => {
    if (type !== 'item_finished' || ++ended % (count / 10) !== 0) return
    globalThis.gc()
    heaps.push(process.memoryUsage().heapUsed)
  })
  // With the first items comes what V8 makes of the code that runs for every item.
  const [, before, ...after] = heaps
  return { bytesPerItem: (Math.max(...after) - before) / (count * 0.8) }
}

/** As many reads, and a commit after each: what no durable runner can do without. */
async function bare() {
  const database = new DatabaseSync(join(dataDir, 'bare.db'))
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
  database.exec('CREATE TABLE attempts (path TEXT PRIMARY KEY, started_at INTEGER, output TEXT) STRICT')
  const record = database.prepare('INSERT INTO attempts (path, started_at, output) VALUES (?, ?, ?)')
  const taken = await measure(() =>
    inTurn(async (index) => {
      const path = `each[${index}]`
      const startedAt = Date.now()
      record.run(path, startedAt, JSON.stringify(await call()))
    }),
  )
  // Closed here, and not when its last use lets it be collected.
  database.close()
  return taken
}

const undici = () => measure(() => inTurn(call))

async function call() {
  const { body } = await request(`${baseUrl}/rum/error-ingestion/rules/list?app_key=${appKey}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(input),
  })
  return body.json()
}

async function inTurn(work) {
  let next = 0
  const worker = async () => {
    while (next < count) await work(next++)
  }
  await Promise.all(Array.from({ length: parallel }, worker))
}

async function measure(work) {
  const startedAt = performance.now()
  await work()
  return { milliseconds: performance.now() - startedAt }
}

const taken = await { opsbook: () => opsbook(), heap, bare, undici }[side]()
const peakMegabytes = process.resourceUsage().maxRSS / 1024
process.stdout.write(JSON.stringify({ ...taken, peakMegabytes }))
process.exit()
