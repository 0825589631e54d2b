import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { startStandIn } from '../../api/stand-in.ts'
import { mostIn } from '../../core/most-in.ts'

const items = 12

/** A runbook whose requests go over the connection "shop", several at a time. */
export const limitedRunbook: string = `apiVersion: opsbook/v1
name: look
steps:
  - id: each
    for-each: { items: "\${{ range(${items}) }}", as: n, max-parallel: 3 }
    uses: core/http
    connection: shop
    with: { path: "/\${{ run.id }}/\${{ n }}" }
`

/** A server that counts what two runs send it. */
export interface LimitedServer {
  /** The part of `opsbook.yaml` that has the connection. */
  configuration(limits: string): string
  /** Each item was requested once, at most so many in any second. */
  expectCounted(most: number): void
  /** No request came in the pause but in its first milliseconds, and both runs have sent all of theirs. */
  expectPaused(settlesMs: number): void
}

/** A server that answers no request before both runs have sent one. Refuses one of them with 429 if asked to. */
export async function startLimitedServer({
  refusesAt = 0,
  retryAfterS = 0,
}: {
  readonly refusesAt?: number
  readonly retryAfterS?: number
} = {}): Promise<LimitedServer> {
  const runs = new Set<string>()
  let refusedAt: number | undefined
  const server = await startStandIn(async ({ url }, response, count) => {
    runs.add(url.split('/')[1] ?? '')
    await expect.poll(() => runs.size, { timeout: 180_000, interval: 10 }).toBe(2)
    await sleep(30)
    if (count === refusesAt) {
      response.writeHead(429, { 'retry-after': String(retryAfterS) })
      refusedAt = performance.now()
    }
    response.end('{}')
    return undefined
  })
  const arrivals = (): readonly number[] => server.received.map(({ arrivedAt }) => arrivedAt)
  return {
    configuration: (limits) =>
      `connections: { shop: { type: http, base-url: "${server.baseUrl}", limits: ${limits} } }\n`,
    expectCounted(most) {
      expect(runs.size).toBe(2)
      expect(arrivals()).toHaveLength(2 * items)
      expect(mostIn(arrivals(), 1000)).toBeLessThanOrEqual(most)
    },
    expectPaused(settlesMs) {
      expect(arrivals()).toHaveLength(2 * items + 1)
      const from = refusedAt ?? Number.NaN
      const [begin, end] = [from + settlesMs, from + retryAfterS * 1000 - 100]
      expect(arrivals().filter((at) => at > begin && at < end)).toEqual([])
      const after = server.received.filter(({ arrivedAt }) => arrivedAt >= end)
      expect(new Set(after.map(({ url }) => url.split('/')[1])).size).toBe(2)
    },
  }
}
