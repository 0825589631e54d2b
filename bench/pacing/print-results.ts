import type { RateLimit } from 'opsbook/api'
import { verdict } from '../verdict.ts'
import type { Load } from './loads.ts'

/** What a bench of the pacing holds its figures against. */
export interface Held {
  readonly bench: string
  /** Times the shortest time that the windows allow. */
  readonly limit: number
  /** What the sandbox takes for every answer. */
  readonly latencyMs: number
}

/** Prints how long the calls of one operation took; `more` are figures of this bench alone. */
export function printLoad(
  { bench, limit, latencyMs }: Held,
  name: string,
  load: Load,
  tookMs: number,
  more: object = {},
): void {
  const bound = boundMs(load.limit, load.calls) + latencyMs
  const figures = { calls: load.calls, seconds: tookMs / 1000, ...more, boundSeconds: bound / 1000 }
  console.log(JSON.stringify({ bench: `${bench}, ${name}`, ...figures }))
  verdict(`${bench}, ${name}`, tookMs / bound, limit)
}

/** Prints how many calls the sandbox refused for being too many or too close together. None may be. */
export async function printRefused({ bench }: Held, url: string, more: object = {}): Promise<void> {
  const counts = { RequestTooFrequently: 0, RequestLocked: 0 } as Record<string, number>
  const response = await fetch(`${url}/_sandbox/requests?limit=10000`)
  const { requests } = (await response.json()) as { requests: readonly { code: string | null }[] }
  for (const { code } of requests) if (code && code !== 'OK') counts[code] = (counts[code] ?? 0) + 1
  console.log(JSON.stringify({ bench: `${bench}, refused`, ...counts, requests: requests.length, ...more }))
  const { RequestTooFrequently: often = 0, RequestLocked: locked = 0 } = counts
  verdict(`${bench}, refused`, often + locked, 0)
}

/** The shortest time in which this many calls can be sent: the last one goes out when its windows allow. */
function boundMs({ perSecond, perMinute }: RateLimit, calls: number): number {
  const fullMinutes = Math.floor((calls - 1) / perMinute)
  const rest = calls - fullMinutes * perMinute
  return fullMinutes * 60_000 + Math.floor((rest - 1) / perSecond) * 1000
}
