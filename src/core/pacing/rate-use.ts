import { recordedTime } from '../times/calendar.ts'
import { freeFrom, type RateState, type RateWindow } from './rate-windows.ts'

/** How full the rate windows of an action, or of a connection of type `http`, are. */
export interface RateUse {
  /** Left out: the windows are those of a connection. */
  readonly action?: string
  /** Its calls count together, but for those of actions with limits of their own. */
  readonly connection?: string
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

/** The calls that count now against limits, as far as they are known. */
export interface RateReading {
  /** The fullest first. What has no calls that count is left out. */
  readonly limits: readonly RateUse[]
  /** What has calls whose number is not known. Left out: nothing. */
  readonly unread?: readonly LimitedSubject[]
}

/** An action, or a connection of type `http`, whose calls are counted. */
export type LimitedSubject = Pick<RateUse, 'action' | 'connection'>

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
  const instants = [...state.counted, ...state.sent.map(({ sentAt }) => sentAt + state.marginMs)]
  const used = ({ lengthMs }: RateWindow): number =>
    state.unsent.length + instants.filter((at) => at + lengthMs + 1 > now).length
  return {
    // What is reserved for later can be more than a window holds now.
    used: windows.map((window) => Math.min(used(window), window.max)),
    freeInMs: Math.max(freeMs - now, 0),
    isThrottled: pausedUntilMs > now,
  }
}

/** The use of an action or a connection for people. `nowMs`: Unix time. Undefined: no call counts. */
export function describeUse(
  subject: string,
  windows: readonly RateWindow[],
  { used, freeInMs, isThrottled }: WindowsUse,
  nowMs: number,
): RateUse | undefined {
  if (freeInMs === 0 && used.every((count) => count === 0)) return undefined
  return {
    ...namedSubject(subject),
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
    const subject = use.action ?? connectionSubject(use.connection ?? '')
    const known = found.get(subject)
    if (known === undefined || fullness(use) > fullness(known)) found.set(subject, use)
  }
  return [...found.values()].sort((one, other) => fullness(other) - fullness(one))
}

function fullness({ windows, free_at }: RateUse): number {
  return Math.max(...windows.map(({ used, limit }) => used / limit)) + (free_at === undefined ? 0 : 1)
}

/** The action or connection that a subject stands for, as documents name it. */
export function namedSubject(subject: string): LimitedSubject {
  return subject.startsWith(ofConnection)
    ? { connection: subject.slice(ofConnection.length) }
    : { action: subject }
}

/** What a key begins with where it is of a connection. No action is named so. */
const ofConnection = 'http '

/** What the limits of a connection of type `http` are known by, among the names of actions. */
export function connectionSubject(connection: string): string {
  return ofConnection + connection
}

/**
 * The action or connection that a key counts the calls of: a key is `ACCOUNT/ACTION`, `http CONNECTION ORIGIN`, or `http
 * CONNECTION ORIGIN ACTION`. Undefined: none of these.
 */
export function subjectOfKey(key: string, subjects: Iterable<string>): string | undefined {
  const isOfConnection = key.startsWith(ofConnection)
  const lastWord = key.lastIndexOf(' ')
  const named = [...subjects].filter((subject) =>
    subject.startsWith(ofConnection)
      ? key.slice(0, lastWord) === subject
      : key.endsWith((isOfConnection ? ' ' : '/') + subject),
  )
  return named.sort((one, other) => other.length - one.length)[0]
}
