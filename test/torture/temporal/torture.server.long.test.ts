import { afterAll, beforeAll, expect, it } from 'vitest'
import { requireBuild } from '../../cli/support/process.ts'
import { type Cluster, startCluster } from './cluster.ts'
import { playTemporalRound } from './round.ts'

/** A round for workers and one for the server; `npm run torture -- --engine temporal` plays hundreds of others. */
const first = Number(process.env['OPSBOOK_TORTURE_SEED'] ?? 9000)

let cluster: Cluster
beforeAll(async () => {
  requireBuild()
  cluster = await startCluster()
}, 300_000)
afterAll(() => cluster.close())

const short = { longestOutageMs: 2000, hostsRuns: 2, mostBlows: 3 }

it.each([
  { kind: 'workers', seed: first, ...short },
  { kind: 'servers', seed: first + 1, ...short },
  // The outage outlasts the heartbeats of creates: their answers come by signals, and the journal has them.
  { kind: 'servers', seed: 34_052 },
] as const)(
  'nothing is lost, done twice or stuck: $kind with seed $seed',
  { timeout: 300_000 },
  async ({ seed, ...options }) => {
    const { complaints, story } = await playTemporalRound(cluster, seed, options)
    expect(complaints, story.join('\n')).toEqual([])
  },
)
