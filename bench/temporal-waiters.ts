/**
 * Thirty processes on one Temporal task queue, as far as limits are concerned, at one target; and 4, 12 and 30 of them
 * at one rate window. Each takes its turn again and again, and uses the target for 50 ms. Ten more wait and vanish
 * before the measurement begins: they are still in the line of the target, and the first turns wait until the lock has
 * passed them over. At the window, processes begin within two seconds, since the server takes ten updates at a time.
 *
 * - turns at the target: 5 a second at least;
 * - the longest wait for the target: 3 times the fair share at most, which is the time that one turn of each takes;
 * - calls within the window: 0.75 times as many as it permits at least. A call counts 0.2 s too long, so 0.83 at most;
 * - the fewest calls of a process: half of its fair share at least;
 * - calls over the window: none.
 *
 *     npx tsx bench/temporal-waiters.ts [SECONDS]
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  openTemporalLimits,
  prepareRuntime,
  searchAttributes,
  startWorker,
  type TemporalLimits,
} from '../src/engine/temporal/index.ts'
import { startDevServer } from '../test/support/temporal-server.ts'
import { verdict, verdictAtLeast } from './verdict.ts'

const crowds = [4, 12, 30]
const processes = Math.max(...crowds)
const vanishing = 10
const useMs = 50
const seconds = Number(process.argv[2] ?? 30)
const beginsWithinMs = 2000
const leastTurns = 5
const leastPart = 0.75
const mostShares = 3
const leastShare = 0.5
const window = { max: 10, lengthMs: 1000 }

/** Takes one turn, and resolves when it is over. */
type Turn = (limits: TemporalLimits) => Promise<void>

interface Measured {
  readonly turns: number
  readonly longestMs: number
  readonly fewest: number
}

/** Has all of them take turns for so long; a wait that has not ended by then counts as long as it has lasted. */
async function measure(all: readonly TemporalLimits[], turn: Turn): Promise<Measured> {
  const endMs = performance.now() + seconds * 1000
  let longestMs = 0
  const take = async (limits: TemporalLimits): Promise<number> => {
    for (let turns = 0; ; turns++) {
      const askedMs = performance.now()
      const isOver = await Promise.race([
        turn(limits).then(() => false),
        sleep(endMs - askedMs, true, { ref: false }),
      ])
      longestMs = Math.max(longestMs, performance.now() - askedMs)
      if (isOver) return turns
    }
  }
  const counts = await Promise.all(all.map(take))
  return { turns: counts.reduce((sum, one) => sum + one, 0), longestMs, fewest: Math.min(...counts) }
}

/** Prints what was measured, and returns the longest wait in fair shares. */
function print(name: string, count: number, { turns, longestMs, fewest }: Measured): number {
  const perSecond = turns / seconds
  const fairMs = (count / perSecond) * 1000
  console.log(
    `${name}: ${perSecond.toFixed(1)} turns/s, longest wait ${(longestMs / 1000).toFixed(1)} s, fair share ${(fairMs / 1000).toFixed(1)} s, fewest turns of a process ${fewest}`,
  )
  return longestMs / fairMs
}

prepareRuntime(({ level, message }) => {
  if (level === 'error') console.error(message)
})
const server = await startDevServer({ searchAttributes, tell: (line) => console.error(line) })
const dataDir = mkdtempSync(join(tmpdir(), 'opsbook-bench-'))
const settings = { address: server.address, namespace: server.namespace, taskQueue: 'bench-waiters' }
const worker = await startWorker({
  ...settings,
  actions: [],
  connect: () => Promise.reject(new Error('nothing is called')),
  secrets: { resolve: async () => '' },
  checkInputs: () => ({ inputs: {}, problems: [] }),
  dataDir,
})
const open = (count: number): Promise<TemporalLimits[]> =>
  Promise.all(Array.from({ length: count }, () => openTemporalLimits(settings)))

const dying = await open(vanishing)
const left = dying.map(({ targetLocks }) => targetLocks.acquire('target').catch(() => {}))
await sleep(1000)
// They hold and wait for all they asked for, and say nothing any more.
await Promise.all(dying.map((limits) => limits.close()))
void Promise.all(left)

const all = await open(processes)
const atTarget = await measure(all, async ({ targetLocks }) => {
  const free = await targetLocks.acquire('target')
  await sleep(useMs)
  free()
})
const shares = print('one target', processes, atTarget)
verdict('one target, longest wait in fair shares', shares, mostShares)
verdict('one target, time for a turn', (leastTurns * seconds) / atTarget.turns, 1)
for (const count of crowds) {
  const name = `one window of 10/s, ${count} processes`
  const sentMs: number[] = []
  const crowd = all.slice(0, count)
  const call = async ({ budget }: TemporalLimits): Promise<void> => {
    const lease = await budget.acquire(`rate-${count}`, [window])
    lease.sent()
    sentMs.push(performance.now())
    await sleep(5)
    lease.done()
  }
  await Promise.all(crowd.map((limits) => sleep(Math.random() * beginsWithinMs).then(() => call(limits))))
  const measured = await measure(crowd, call)
  const permitted = (seconds * 1000 * window.max) / window.lengthMs
  print(name, count, measured)
  verdictAtLeast(`${name}, calls of those that it permits`, measured.turns / permitted, leastPart)
  verdictAtLeast(`${name}, fewest in fair shares`, (measured.fewest * count) / measured.turns, leastShare)
  const over = sentMs.filter(
    (atMs, index) => atMs - (sentMs[index - window.max] ?? -Infinity) < window.lengthMs,
  )
  verdict(`${name}, calls over it`, over.length, 0)
}
await Promise.all(all.map((limits) => limits.close()))
await worker.stop()
await server.stop()
rmSync(dataDir, { recursive: true, force: true })
process.exit()
