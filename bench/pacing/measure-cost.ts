import { type ClientOptions, createClient } from 'opsbook/api'
import { verdict } from '../verdict.ts'
import type { SharedParts } from './call-together.ts'
import { application_id } from './loads.ts'
import { heard, startRole } from './roles.ts'

/** What is measured, and with how many calls. */
export interface Cost {
  readonly bench: string
  /** Milliseconds that a call may take longer. */
  readonly limitMs: number
  readonly rounds: number
  readonly calls: number
  /** Calls that its windows take in a minute. */
  readonly perMinute: number
}

/**
 * Makes calls one after the other with shared limits and with limits in memory, in turns, to the role `bare`, and
 * prints what the shared ones cost. Each round has an account of its own, whose windows are empty.
 */
export async function measureCost(cost: Cost, shared: SharedParts): Promise<void> {
  const server = startRole('bare')
  const baseUrl = await heard<string>(server)
  await compareCost(cost, baseUrl, (round) => ({ ...shared, account: `${shared.account}-${round}` }))
  await shared.close()
  server.kill()
}

/** Measures and prints; `sharedFor` are the shared limits of a round. */
export async function compareCost(
  { bench, limitMs, rounds, calls, perMinute }: Cost,
  baseUrl: string,
  sharedFor: (round: number) => SharedParts,
): Promise<void> {
  const times: { memory: number[]; shared: number[] } = { memory: [], shared: [] }
  for (let round = 0; round < rounds; round++) {
    const { close: _, ...shared } = sharedFor(round)
    times.memory.push(await timeCall(calls, bareClient(baseUrl, perMinute)))
    times.shared.push(await timeCall(calls, { ...bareClient(baseUrl, perMinute), ...shared }))
  }
  const [memory, together] = [median(times.memory), median(times.shared)]
  const figures = {
    memoryMilliseconds: memory,
    sharedMilliseconds: together,
    moreMilliseconds: together - memory,
  }
  console.log(JSON.stringify({ bench: `${bench}, cost of a call`, ...figures }))
  verdict(`${bench}, cost of a call, of ${limitMs} ms more`, (together - memory) / limitMs, 1)
}

/** A client of the role `bare`. */
export function bareClient(baseUrl: string, perMinute: number): ClientOptions {
  const limits = { listIngestionRules: { perSecond: 100_000, perMinute } }
  return { appKey: 'bench-key-0123456789', baseUrl, limits, proxy: 'none' }
}

/** Milliseconds a call. */
async function timeCall(calls: number, options: ClientOptions): Promise<number> {
  const client = createClient(options)
  for (let made = 0; made < 50; made++) await client.listIngestionRules({ application_id })
  const startedAt = performance.now()
  for (let made = 0; made < calls; made++) await client.listIngestionRules({ application_id })
  const tookMs = performance.now() - startedAt
  await client.close()
  return tookMs / calls
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? Number.NaN
}
