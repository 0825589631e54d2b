import { setTimeout as sleep } from 'node:timers/promises'
import { createRandom } from '../../fuzz/random.ts'
import { isCreate } from '../account.ts'
import type { RoundResult } from '../rounds/round-result.ts'
import { settledRequests } from '../stage.ts'
import { begin } from './begin-runs.ts'
import { createBlows } from './blows.ts'
import type { Cluster } from './cluster.ts'
import { readAnnounced } from './read-announced.ts'
import { strikeAll, untilOver } from './round.ts'

/** How many runs there are, and how many blows. Without blows no outcome may be unknown. */
export interface TargetsRoundOptions {
  /** @default 14 */
  readonly runs?: number
  /** @default 10 */
  readonly blows?: number
  /** @default 15000 */
  readonly longestOutageMs?: number
}

/** A create that was lost is waited for no longer than it takes here. */
const lostCreateWaitMs = 1000
const creates = ['first', 'middle', 'last']

/**
 * Plays one round of runs that wait for the same targets, while workers and the server are killed: no run is stuck, no
 * create is made twice, and every unknown outcome is that of a create whose request was announced.
 */
export async function playTargetsRound(
  cluster: Cluster,
  seed: number,
  { runs = 14, blows = 10, longestOutageMs = 15_000 }: TargetsRoundOptions = {},
): Promise<RoundResult> {
  const random = createRandom(seed)
  await cluster.sandbox.reset([
    { operation: 'E2', delay_ms: 20 + random.below(400) },
    { operation: 'E4', delay_ms: 20 + random.below(300) },
  ])
  cluster.workers.deserted.length = 0
  const planned = Array.from({ length: blows }, () => createBlows('all', random, longestOutageMs)).flat()
  const striking = strikeAll(cluster, planned.slice(0, blows), random)
  const begun = []
  for (let index = 0; index < runs; index++) {
    begun.push(begin(cluster, 'targets', `t${seed}x${index}`, random, lostCreateWaitMs))
    if (blows > 0) await sleep(random.below(800))
  }
  const all = await Promise.all(begun)
  const { made, story } = await striking
  const complaints: string[] = []
  // They take turns at the same targets, so that all end at about the same time.
  const mostMs = 240_000 + runs * 3000
  for (const { runId } of all) {
    const stuck = await untilOver(cluster, runId, mostMs)
    if (stuck !== undefined) complaints.push(`stuck: ${runId} ${stuck}`)
  }
  if (!(await cluster.workers.ready())) complaints.push('a worker does not become ready')
  for (const said of cluster.workers.deserted) complaints.push(`a worker ended by itself: ${said}`)
  const requests = await settledRequests(cluster.sandbox)
  const statuses: string[] = []
  for (const { runId, tag } of all) {
    const run = await cluster.engine.readRun(runId)
    const status = run?.status ?? 'lost'
    statuses.push(status)
    if (status !== 'succeeded' && status !== 'unknown')
      complaints.push(`${runId} is ${status}: ${run?.error?.code}: ${run?.error?.message}`)
    for (const place of creates) {
      const count = requests.filter(
        ({ executed, body }) => executed && body['application_name'] === `${tag}:${place}`,
      ).length
      if (count > 1) complaints.push(`${runId}: ${place} was created ${count} times`)
      if (status === 'succeeded' && count === 0) complaints.push(`${runId}: ${place} was never created`)
    }
    if (status !== 'unknown') continue
    if (blows === 0) complaints.push(`${runId} has an unknown outcome, and nothing was killed`)
    const announced = await readAnnounced(cluster.client, runId)
    const attempts = [...(await cluster.engine.readAttempts(runId))].filter(isCreate)
    const last = attempts.at(-1)
    if (!last || !announced.has(`${last.path}#${last.attempt}`))
      complaints.push(`${runId}: ${last?.path} has an unknown outcome, and its request was never announced`)
  }
  const count = (is: (blow: (typeof made)[number]) => boolean): number => made.filter(is).length
  return {
    story,
    statuses,
    complaints,
    struck: made.length,
    counts: {
      'workers killed': count((blow) => blow.at === 'worker' && blow.signal === 'SIGKILL'),
      'workers stopped': count((blow) => blow.at === 'worker' && blow.signal === 'SIGTERM'),
      'server kills': count(({ at }) => at === 'server'),
      creates: requests.filter(({ operation, executed }) => executed && operation === 'E2').length,
    },
  }
}
