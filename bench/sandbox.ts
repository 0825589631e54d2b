/**
 * Requests a second of the sandbox without limits, all operations one after another, in a process of its own. Limit: 2,000, of
 * which the ratio is a multiple, so it must be at least 1. What counts is the smaller one of two rates: what was
 * answered in a second, and what one core can answer, taken from the processor time of all threads of that process.
 *
 * In the same rounds a bare node:http server answers the very same bytes: the second ratio is how much of its rate
 * per core is left to the sandbox.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { operations } from 'opsbook/api'
import { startSandbox } from 'opsbook/sandbox'
import { Agent, request } from 'undici'
import { verdictAtLeast } from './verdict.ts'

const namedRate = 2000
const rounds = 3
const requestsPerRound = 20_000
const connections = 20

const application_id = 'CheckoutWebSandboxApp1'
const bodies: { readonly [method in keyof typeof operations]: object } = {
  createAgent: {
    agent_name: 'helper',
    instructions: 'Answers questions.',
    card_url: 'https://agents.example.com/card.json',
  },
  createApplication: { application_name: 'shop', type: 'browser', team_id: 1 },
  getApplications: { application_ids: [application_id] },
  listTools: { target_locator: 'web-01' },
  invokeTools: { target_locator: 'web-01', tools: [{ tool: 'os.overview', params: {} }] },
  previewDatasource: { ds_type: 'prometheus', ds_name: 'prom-main', expr: 'up' },
  exportSession: { session_id: 'sess_short' },
  disableRule: { application_id, rule_id: 'sev_crash' },
  setPostMortemStatus: { post_mortem_id: '00000000000000000000000000000001', status: 'published' },
  listIngestionRules: { application_id },
}

const calls = Object.entries(bodies).map(([method, body]) => ({
  path: `/${operations[method as keyof typeof operations].name}?app_key=sandbox-owner`,
  body: JSON.stringify(body),
}))

interface Answer {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** What the bare server answers, by path. */
type Answers = Readonly<Record<string, Answer>>

interface Peer {
  readonly child: ChildProcess
  readonly url: string
}

async function serveSandbox(): Promise<void> {
  const { url } = await startSandbox({ limits: false })
  serve(url)
}

async function serveBare(): Promise<void> {
  const [answers] = (await once(process, 'message')) as [Answers]
  const server = createServer((incoming, outgoing) => {
    const answer = answers[incoming.url ?? '']
    incoming.resume().on('end', () => outgoing.writeHead(200, answer?.headers).end(answer?.body))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  serve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
}

/** Tells the address, and from then on the processor time when it is asked. */
function serve(url: string): void {
  process.send?.(url)
  process.on('message', () => {
    const { user, system } = process.cpuUsage()
    process.send?.((user + system) / 1e6)
  })
  process.on('disconnect', () => process.exit())
}

async function start(kind: 'sandbox' | 'bare', answers?: Answers): Promise<Peer> {
  const child = fork(fileURLToPath(import.meta.url), [kind])
  if (answers) child.send(answers)
  const [url] = (await once(child, 'message')) as [string]
  return { child, url }
}

async function processorSeconds({ child }: Peer): Promise<number> {
  child.send('processor time')
  const [seconds] = (await once(child, 'message')) as [number]
  return seconds
}

const agent = new Agent({ connections, pipelining: 1 })

async function callOnce({ url }: Peer, index: number): Promise<Answer> {
  const { path, body } = calls[index % calls.length] as (typeof calls)[number]
  const answer = await request(url + path, {
    dispatcher: agent,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  })
  if (answer.statusCode !== 200) throw new Error(`${path} answered ${answer.statusCode}`)
  const kept = Object.entries(answer.headers).filter(([name]) => /type$|request-id$/.test(name))
  return {
    headers: Object.fromEntries(kept.map(([name, value]) => [name, String(value)])),
    body: await answer.body.text(),
  }
}

interface Rates {
  readonly perSecond: number
  readonly perCore: number
}

async function measure(peer: Peer): Promise<Rates> {
  let next = 0
  const worker = async (): Promise<void> => {
    while (next < requestsPerRound) await callOnce(peer, next++)
  }
  const usedBefore = await processorSeconds(peer)
  const startedAt = performance.now()
  await Promise.all(Array.from({ length: connections }, worker))
  const seconds = (performance.now() - startedAt) / 1000
  const used = (await processorSeconds(peer)) - usedBefore
  return { perSecond: requestsPerRound / seconds, perCore: requestsPerRound / used }
}

function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((one, other) => one - other)
  return Math.round(sorted[Math.floor(sorted.length / 2)] ?? Number.NaN)
}

function medians(all: readonly Rates[]): Rates {
  return {
    perSecond: median(all.map(({ perSecond }) => perSecond)),
    perCore: median(all.map(({ perCore }) => perCore)),
  }
}

async function main(): Promise<void> {
  const sandbox = await start('sandbox')
  const answers: Record<string, Answer> = {}
  for (const [index, { path }] of calls.entries()) answers[path] = await callOnce(sandbox, index)
  const bare = await start('bare', answers)
  const seen: { sandbox: Rates[]; bare: Rates[] } = { sandbox: [], bare: [] }
  for (let round = 0; round <= rounds; round++) {
    const [own, plain] = [await measure(sandbox), await measure(bare)]
    // The first round warms up.
    if (round > 0) seen.sandbox.push(own)
    if (round > 0) seen.bare.push(plain)
  }
  const [own, plain] = [medians(seen.sandbox), medians(seen.bare)]
  console.log(JSON.stringify({ bench: 'sandbox', requestsPerRound, rounds, sandbox: own, bare: plain }))
  verdictAtLeast(`${namedRate} requests a second`, Math.min(own.perSecond, own.perCore) / namedRate, 1)
  console.log(`ratio to bare node:http: ${(own.perCore / plain.perCore).toFixed(2)}`)
  await agent.close()
  for (const { child } of [sandbox, bare]) child.disconnect()
}

if (process.argv[2] === 'sandbox') await serveSandbox()
else if (process.argv[2] === 'bare') await serveBare()
else await main()
