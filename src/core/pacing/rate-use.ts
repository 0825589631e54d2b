import { recordedTime } from '../times.ts'
import { freeFrom, type RateState, type RateWindow } from './rate-windows.ts'

/** How full the rate windows of an action are. */
export interface RateUse {
  readonly action: string
  /** Calls that are under way count, too. */
  readonly windows: readonly {
    readonly per: 'second' | 'minute' | 'day'
    readonly used: number
    readonly limit: number
  }[]
  /** RFC 3339: when the next call can leave, if nothing else happens until then. Left out: now. */
  readonly free_at?: string
  /** The service has refused calls as too frequent, and none leaves until `free_at`. */
  readonly is_throttled?: true
}

/** How many calls of one account count against the windows of an action, and when the next one can leave. */
export interface WindowsUse {
  /** Of each window, in their order. */
  readonly used: readonly number[]
  /** 0: now. */
  readonly freeInMs: number
  readonly isThrottled: boolean
}

/** Counts the calls at a time, by the clock of the state. Leaves the state as it is. */
export function countUse(
  given: RateState,
  windows: readonly RateWindow[],
  now: number,
  pausedUntilMs: number,
): WindowsUse {
  const state = { ...given, counted: [...given.counted], sent: [...given.sent] }
  const freeMs = Math.max(freeFrom(state, windows, now, 1), pausedUntilMs)
  const open = state.sent.length + state.unsent.length
  return {
    used: windows.map(({ lengthMs }) => open + state.counted.filter((at) => at + lengthMs + 1 > now).length),
    freeInMs: Math.max(freeMs - now, 0),
    isThrottled: pausedUntilMs > now,
  }
}

/** The use of an action for people. `nowMs`: Unix time. Undefined: no call counts. */
export function describeUse(
  action: string,
  windows: readonly RateWindow[],
  { used, freeInMs, isThrottled }: WindowsUse,
  nowMs: number,
): RateUse | undefined {
  if (freeInMs === 0 && used.every((count) => count === 0)) return undefined
  return {
    action,
    windows: windows.map(({ max, lengthMs }, place) => ({
      per: lengthMs === 1000 ? 'second' : lengthMs === 60_000 ? 'minute' : 'day',
      used: used[place] ?? 0,
      limit: max,
    })),
    ...(freeInMs > 0 ? { free_at: recordedTime(Math.ceil(nowMs + freeInMs)) } : {}),
    ...(isThrottled ? { is_throttled: true } : {}),
  }
}

/** The fullest first. An action of several accounts is there once: with the account that has the least room. */
export function fullestOf(uses: readonly (RateUse | undefined)[]): readonly RateUse[] {
  const found = new Map<string, RateUse>()
  for (const use of uses) {
    if (use === undefined) continue
    const known = found.get(use.action)
    if (known === undefined || fullness(use) > fullness(known)) found.set(use.action, use)
  }
  return [...found.values()].sort((one, other) => fullness(other) - fullness(one))
}

function fullness({ windows, free_at }: RateUse): number {
  return Math.max(...windows.map(({ used, limit }) => used / limit)) + (free_at === undefined ? 0 : 1)
}

/** The action that a key counts the calls of: a key is `ACCOUNT/ACTION`, or `http CONNECTION ORIGIN ACTION`. */
export function actionOfKey(key: string, actions: Iterable<string>): string | undefined {
  const mark = key.startsWith('http ') ? ' ' : '/'
  const named = [...actions].filter((action) => key.endsWith(mark + action))
  return named.sort((one, other) => other.length - one.length)[0]
}
