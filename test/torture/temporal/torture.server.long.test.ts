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

it.each([
  { kind: 'workers', seed: first },
  { kind: 'servers', seed: first + 1 },
] as const)(
  'nothing is lost, done twice or stuck: $kind with seed $seed',
  { timeout: 300_000 },
  async ({ kind, seed }) => {
    const { complaints, story } = await playTemporalRound(cluster, seed, {
      kind,
      longestOutageMs: 2000,
      hostsRuns: 2,
      mostBlows: 3,
    })
    expect(complaints, story.join('\n')).toEqual([])
  },
)
