import type { RateLimit } from './action.ts'
import type { RateWindow } from './rate-windows.ts'

/** The windows that calls must fit under a limit; a part that is left out limits nothing. */
export function windowsOf(limit: Partial<Omit<RateLimit, 'per'>>): readonly RateWindow[] {
  const { perSecond, perMinute, perDay } = limit
  return [...window(perSecond, 1000), ...window(perMinute, 60_000), ...window(perDay, 86_400_000)]
}

function window(max: number | undefined, lengthMs: number): readonly RateWindow[] {
  return max === undefined ? [] : [{ max, lengthMs }]
}
