import { setTimeout as sleep } from 'node:timers/promises'
import type { JsonObject } from 'opsbook'
import { createRandom, type Random } from '../../fuzz/random.ts'
import type { RoundResult } from '../rounds/round-result.ts'
import { createScenario } from '../scenario.ts'
import { settledRequests } from '../stage.ts'
import { tagOf } from '../tagged-places.ts'
import { type Begun, begin } from './begin-runs.ts'
import { type ClusterBlow, createBlows, type TemporalKind, temporalKinds } from './blows.ts'
import type { Cluster } from './cluster.ts'
import { countUnknown, judgeRun } from './judge-run.ts'
import { readAnnounced } from './read-announced.ts'
import { readServerRecord } from './read-journal.ts'

/** How the rounds are played. */
export interface TemporalRoundOptions {
  /** @default by the seed */
  readonly kind?: TemporalKind
  /** @default 10000 */
  readonly longestOutageMs?: number
  /** How many runs go on besides the one of everything. @default 4 */
  readonly hostsRuns?: number
  /** How many blows there are at most. @default 6 */
  readonly mostBlows?: number
}

/** What is left of a run after its round. */
interface Ending {
  readonly status: string
  readonly creates: number
  /** The creates whose outcome nobody knows, and those of them that the service never received. */
  readonly unknown: number
  readonly neverSent: number
  readonly complaints: readonly string[]
}

/** By then every run is over, also one that waits for the heartbeat of a create. */
const patienceMs = 240_000
/** How long the answer of a worker is waited for that was lost in a create: where there are outages too, past them. */
const lostWaitMs = { workers: 8000, servers: undefined, all: 25_000 } as const

/** The kind that a round has by its seed. */
export function temporalKindOfSeed(seed: number): TemporalKind {
  return temporalKinds[seed % temporalKinds.length] as TemporalKind
}

/** Plays one round, of a seed that the server has not seen yet: several runs, whose workers and server are struck, and then the record of the sandbox against all. */
export async function playTemporalRound(
  cluster: Cluster,
  seed: number,
  options: TemporalRoundOptions = {},
): Promise<RoundResult> {
  const { kind = temporalKindOfSeed(seed), longestOutageMs = 10_000, hostsRuns = 4, mostBlows = 6 } = options
  const random = createRandom(seed)
  const tag = `t${seed}`
  const blows = createBlows(kind, random, longestOutageMs).slice(0, mostBlows)
  await cluster.sandbox.reset(faults(random, tag))
  cluster.workers.deserted.length = 0
  const struck = strikeAll(cluster, blows, random)
  const runs = await beginAll(cluster, tag, hostsRuns, random, lostWaitMs[kind])
  const { made, story } = await struck
  const complaints: string[] = []
  for (const run of runs) {
    const stuck = await untilOver(cluster, run.runId)
    if (stuck !== undefined) complaints.push(`stuck: ${run.runId} (${run.tag}) ${stuck}`)
  }
  if (!(await cluster.workers.ready())) complaints.push('a worker does not become ready')
  const endings = await Promise.all(
    runs.map((run) => lookAt(cluster, run, runs).catch((error: Error) => broken(run, error))),
  )
  for (const said of cluster.workers.deserted) complaints.push(`a worker ended by itself: ${said}`)
  const count = (at: string): number => made.filter((blow) => describe(blow).startsWith(at)).length
  const sumOf = (count: (ending: Ending) => number): number =>
    endings.reduce((sum, ending) => sum + count(ending), 0)
  return {
    story,
    statuses: endings.map(({ status }) => status),
    complaints: [...complaints, ...endings.flatMap((ending) => ending.complaints)],
    struck: made.length,
    counts: {
      'workers killed': count('SIGKILL'),
      'workers stopped': count('SIGTERM'),
      'server kills': count('server'),
      creates: sumOf(({ creates }) => creates),
      'creates with an unknown outcome': sumOf(({ unknown }) => unknown),
      'never sent of these': sumOf(({ neverSent }) => neverSent),
    },
  }
}

/** Calls that take their time, and what the service does wrong besides. */
function faults(random: Random, tag: string): readonly JsonObject[] {
  return [
    ...createScenario(random, tag).faults.filter((fault) => !('close_after' in fault && isCreate(fault))),
    { operation: 'E1', delay_ms: random.below(600) },
    { operation: 'E2', delay_ms: 60 + random.below(600) },
    { operation: 'E3', delay_ms: random.below(300) },
    { operation: 'E7', delay_ms: random.below(300) },
  ]
}

/** An answer that is lost is no worker's fault: here doubt comes from kills alone. */
function isCreate({ operation }: JsonObject): boolean {
  return operation === 'E1' || operation === 'E2'
}

/** What was done in a round. */
interface Strikes {
  /** Without those at a server that was down already. */
  readonly made: readonly ClusterBlow[]
  readonly story: readonly string[]
}

export async function strikeAll(
  { workers, server }: Cluster,
  blows: readonly ClusterBlow[],
  random: Random,
): Promise<Strikes> {
  const beganMs = Date.now()
  const made: ClusterBlow[] = []
  const story: string[] = []
  const outages: Promise<void>[] = []
  let isDown = false
  const fail = async (outageMs: number): Promise<void> => {
    isDown = true
    await server.kill()
    await sleep(outageMs)
    await server.restart()
    isDown = false
  }
  const choice = createRandom(random.below(2 ** 31))
  for (const blow of blows) {
    await sleep(blow.afterMs)
    if (blow.at === 'server') {
      if (isDown) continue
      outages.push(fail(blow.outageMs))
    } else {
      workers.strike(blow.signal, choice)
    }
    made.push(blow)
    story.push(`${Date.now() - beganMs} ms: ${describe(blow)}`)
  }
  await Promise.all(outages)
  return { made, story }
}

function describe(blow: ClusterBlow): string {
  return blow.at === 'server' ? `server killed for ${blow.outageMs} ms` : `${blow.signal} for a worker`
}

async function beginAll(
  cluster: Cluster,
  tag: string,
  hostsRuns: number,
  random: Random,
  lostCreateWaitMs: number | undefined,
): Promise<readonly Begun[]> {
  const runs: Promise<Begun>[] = [begin(cluster, 'everything', tag, random, lostCreateWaitMs)]
  for (let index = 0; index < hostsRuns; index++) {
    runs.push(begin(cluster, 'hosts', `${tag}h${index}`, random, lostCreateWaitMs))
    await sleep(random.below(500))
  }
  return Promise.all(runs)
}

/** Undefined: it is over. Otherwise it is ended, and this is what it waited for. */
export async function untilOver(
  { client, engine }: Cluster,
  runId: string,
  mostMs: number = patienceMs,
): Promise<string | undefined> {
  const handle = client.workflow.getHandle(runId)
  const endMs = Date.now() + mostMs
  while (Date.now() < endMs) {
    const info = await handle.describe().catch(() => undefined)
    if (info && info.status.name !== 'RUNNING') return undefined
    await sleep(100)
  }
  const run = await engine.readRun(runId).catch(() => undefined)
  await handle.terminate('it is stuck').catch(() => {})
  return `is not over, and waits for ${JSON.stringify(run?.waiting_attempts)}`
}

async function lookAt(
  { client, engine, sandbox }: Cluster,
  { runbook, tag, runId }: Begun,
  runs: readonly Begun[],
): Promise<Ending> {
  const { journal, stop } = await readServerRecord(engine, runId)
  const all = await settledRequests(sandbox)
  const applications = await sandbox.applications()
  const tags = new Set(runs.filter((run) => run.runbook === 'hosts').map((run) => run.tag))
  // What does not say whose it is belongs to the only run that can have sent it.
  const owner = (request: (typeof all)[number]): string => {
    const named = tagOf(request, applications)
    return tags.has(named) ? named : (runs.find((run) => run.runbook === 'everything')?.tag ?? '')
  }
  const requests = all.filter((request) => owner(request) === tag)
  const changes = (await sandbox.audit()).map(({ request_id }) => request_id)
  const evidence = { journal, stops: [stop], requests, applications, changes, batchesReads: false }
  const complaints = judgeRun(runbook, evidence, { announced: await readAnnounced(client, runId) })
  const creates = requests.filter(
    ({ operation, executed }) => executed && (operation === 'E1' || operation === 'E2'),
  ).length
  return {
    status: journal.run.status,
    creates,
    ...countUnknown(runbook, evidence),
    complaints: complaints.map((complaint) => `${runId} (${tag}): ${complaint}`),
  }
}

function broken({ runId, tag }: Begun, error: Error): Ending {
  return {
    status: 'unread',
    creates: 0,
    unknown: 0,
    neverSent: 0,
    complaints: [`${runId} (${tag}) cannot be read: ${error.message}`],
  }
}
