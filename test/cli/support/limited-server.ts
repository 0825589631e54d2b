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
  /** The same, with as many requests in the pause as were under way. */
  expectPausedBut(underWay: number): void
}

/**
 * A server that answers no request before both runs have sent one. Refuses one of them with 429 if asked to, and answers
 * those that come after it once the pause is known to both runs.
 */
export async function startLimitedServer({
  refusesAt = 0,
  retryAfterS = 0,
  isPaused = () => true,
}: {
  readonly refusesAt?: number
  readonly retryAfterS?: number
  readonly isPaused?: () => boolean
} = {}): Promise<LimitedServer> {
  const runs = new Set<string>()
  let areBothThere = (): void => {}
  const bothAreThere = new Promise<void>((resolve) => {
    areBothThere = resolve
  })
  let refusedAt: number | undefined
  const server = await startStandIn(async ({ url }, response, count) => {
    runs.add(url.split('/')[1] ?? '')
    if (runs.size === 2) areBothThere()
    await bothAreThere
    if (count === refusesAt) {
      response.writeHead(429, { 'retry-after': String(retryAfterS) })
      refusedAt = performance.now()
    } else if (refusedAt !== undefined) await expect.poll(isPaused).toBe(true)
    response.end('{}')
    return undefined
  })
  const arrivals = (): readonly number[] => server.received.map(({ arrivedAt }) => arrivedAt)
  /** When requests came in the pause, which is so many milliseconds old. */
  const inPause = (afterMs: number): readonly number[] => {
    expect(arrivals()).toHaveLength(2 * items + 1)
    const from = refusedAt ?? Number.NaN
    const end = from + retryAfterS * 1000 - 100
    const after = server.received.filter(({ arrivedAt }) => arrivedAt >= end)
    expect(new Set(after.map(({ url }) => url.split('/')[1])).size).toBe(2)
    return arrivals().filter((at) => at > from + afterMs && at < end)
  }
  return {
    configuration: (limits) =>
      `connections: { shop: { type: http, base-url: "${server.baseUrl}", limits: ${limits} } }\n`,
    expectCounted(most) {
      expect(runs.size).toBe(2)
      expect(arrivals()).toHaveLength(2 * items)
      expect(mostIn(arrivals(), 1000)).toBeLessThanOrEqual(most)
    },
    expectPaused: (settlesMs) => expect(inPause(settlesMs)).toEqual([]),
    expectPausedBut: (underWay) => expect(inPause(0).length).toBeLessThanOrEqual(underWay),
  }
}
