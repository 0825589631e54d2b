import {
  createRateState,
  markAnswered,
  markSent,
  type RateState,
  type RateWindow,
  reserve,
} from '../pacing/rate-windows.ts'

/** What a plan will do, as far as it is known and takes time: calls under rate limits, and waits. */
export type Task =
  /** Calls one after another. `limit` names the shared rate limit; without windows they wait for nothing. */
  | {
      readonly kind: 'calls'
      readonly limit: string
      readonly windows: readonly RateWindow[]
      readonly count: number
    }
  | { readonly kind: 'wait'; readonly ms: number }
  /** Ends at this time, counted from the start of the run. */
  | { readonly kind: 'until'; readonly ms: number }
  | { readonly kind: 'sequence'; readonly tasks: readonly Task[] }
  | { readonly kind: 'together'; readonly tasks: readonly Task[]; readonly atOnce: number }
  | { readonly kind: 'repeated'; readonly task: Task; readonly count: number; readonly atOnce: number }
  /** Whether it is done is not known before the run. */
  | { readonly kind: 'maybe'; readonly task: Task }
  /** The part of one step, to see when it begins and ends. */
  | { readonly kind: 'step'; readonly path: string; readonly task: Task }

export const nothing: Task = { kind: 'sequence', tasks: [] }

/** How many calls of each limit a task makes. */
function callsByLimit(task: Task, includesMaybe: boolean): ReadonlyMap<string, LimitedCalls> {
  const limits = new Map<string, LimitedCalls>()
  const visit = (part: Task, times: number): void => {
    if (part.kind === 'calls') {
      const count = (limits.get(part.limit)?.count ?? 0) + part.count * times
      limits.set(part.limit, { count, windows: part.windows })
    } else if (part.kind === 'sequence' || part.kind === 'together') {
      for (const inner of part.tasks) visit(inner, times)
    } else if (part.kind === 'repeated') visit(part.task, times * part.count)
    else if (part.kind === 'step') visit(part.task, times)
    else if (part.kind === 'maybe' && includesMaybe) visit(part.task, times)
  }
  visit(task, 1)
  return limits
}

/** The calls that are counted together. */
export interface LimitedCalls {
  readonly count: number
  readonly windows: readonly RateWindow[]
}

/** When a step begins and ends at the earliest, in milliseconds from the start. */
export interface CallSpan {
  readonly startMs: number
  readonly endMs: number
}

/** The earliest end of a task. */
export interface Simulated {
  readonly endMs: number
  /** By path of the step; empty where there are too many calls to walk through. */
  readonly spans: ReadonlyMap<string, CallSpan>
}

/** More calls than this are not walked through one by one. */
const mostCalls = 100_000

/**
 * The shortest time a task can take when the service answers at once: calls wait for nothing but the windows of
 * their rate limit, in the order they are made. `includesMaybe`: as if every open condition held.
 */
export function simulate(task: Task, includesMaybe: boolean): Simulated {
  const limits = [...callsByLimit(task, includesMaybe).values()]
  if (limits.reduce((sum, { count }) => sum + count, 0) <= mostCalls) return walk(task, includesMaybe)
  const bounds = limits.flatMap(({ count, windows }) =>
    windows.map(({ max, lengthMs }) => Math.floor((count - 1) / max) * lengthMs),
  )
  return { endMs: Math.max(0, ...bounds), spans: new Map() }
}

function walk(root: Task, includesMaybe: boolean): Simulated {
  const timeline = createTimeline()
  const limits = createLimits(timeline)
  const spans = new Map<string, CallSpan>()

  const start = (task: Task, now: number, done: Continue): void => {
    if (task.kind === 'wait') timeline.at(now + task.ms, done)
    else if (task.kind === 'until') timeline.at(Math.max(now, task.ms), done)
    else if (task.kind === 'maybe') {
      if (includesMaybe) start(task.task, now, done)
      else timeline.at(now, done)
    } else if (task.kind === 'step') {
      start(task.task, now, (end) => {
        spans.set(task.path, { startMs: now, endMs: end })
        done(end)
      })
    } else startMany(task, now, done)
  }

  const startMany = (
    task: Task & { kind: 'calls' | 'sequence' | 'together' | 'repeated' },
    now: number,
    done: Continue,
  ): void => {
    const pool = (count: number, atOnce: number, body: Body): void =>
      runPool(timeline, { count, atOnce, now, body, done })
    if (task.kind === 'calls') {
      pool(task.count, 1, (_, at, next) => limits.call(task.limit, task.windows, at, next))
    } else if (task.kind === 'repeated') {
      pool(task.count, task.atOnce, (_, at, next) => start(task.task, at, next))
    } else {
      const most = task.kind === 'together' ? task.atOnce : 1
      pool(task.tasks.length, most, (index, at, next) => start(task.tasks[index] as Task, at, next))
    }
  }

  let endMs = 0
  start(root, 0, (end) => {
    endMs = end
  })
  timeline.run()
  return { endMs, spans }
}

type Body = (index: number, now: number, next: Continue) => void

interface Pool {
  readonly count: number
  readonly atOnce: number
  readonly now: number
  readonly body: Body
  readonly done: Continue
}

/** Some at a time, by way of the timeline, so that a long list is no deep recursion. */
function runPool(timeline: Timeline, { count, atOnce, now, body, done }: Pool): void {
  let begun = 0
  let ended = 0
  const begin = (): Continue => {
    const index = begun++
    return (at) => body(index, at, next)
  }
  const next: Continue = (at) => {
    ended++
    if (begun < count) timeline.at(at, begin())
    else if (ended === count) timeline.at(at, done)
  }
  if (count === 0) timeline.at(now, done)
  for (let worker = Math.min(atOnce, count); worker > 0; worker--) begin()(now)
}

/** Calls under rate limits on a timeline. The service answers at once. */
export interface PreviewLimits {
  /** Makes one call when the windows permit it, in the order of the requests. */
  call(limit: string, windows: readonly RateWindow[], now: number, done: Continue): void
}

interface LimitQueue {
  readonly state: RateState
  /** The callers in their order; the first waits for a place. */
  readonly queue: Continue[]
  isWaiting: boolean
}

function createLimits(timeline: Timeline): PreviewLimits {
  const limits = new Map<string, LimitQueue>()

  const serve = (limit: LimitQueue, windows: readonly RateWindow[], now: number): void => {
    limit.isWaiting = false
    for (let next = limit.queue[0]; next !== undefined; next = limit.queue[0]) {
      const reservation = reserve(limit.state, windows, now, 1)
      if (!reservation.isGranted) {
        limit.isWaiting = true
        timeline.at(reservation.untilMs, (later) => serve(limit, windows, later))
        return
      }
      const [slot = 0] = reservation.slots
      markSent(limit.state, slot, now)
      markAnswered(limit.state, slot, now)
      limit.queue.shift()
      timeline.at(now, next)
    }
  }

  return {
    call(key, windows, now, done) {
      const limit = limits.get(key) ?? { state: createRateState(0), queue: [], isWaiting: false }
      limits.set(key, limit)
      limit.queue.push(done)
      if (!limit.isWaiting) serve(limit, windows, now)
    },
  }
}

/** Something that happens at a time, in milliseconds from the start. */
export type Continue = (now: number) => void

/** A clock that is never waited for: it jumps from one thing that is due to the next. */
export interface Timeline {
  /** Does this at that time: the earliest first, those of one time in the order they were named. */
  at(time: number, then: Continue): void
  /** Continues until no work is due. */
  run(): void
}

function createTimeline(): Timeline {
  let now = 0
  let due: Continue[] = []
  const later = new Map<number, Continue[]>()
  return {
    at(time, then) {
      if (time <= now) {
        due.push(then)
        return
      }
      const there = later.get(time)
      if (there) there.push(then)
      else later.set(time, [then])
    },
    run() {
      while (due.length > 0 || later.size > 0) {
        if (due.length === 0) {
          now = Math.min(...later.keys())
          due = later.get(now) ?? []
          later.delete(now)
        }
        const begun = due
        due = []
        for (const then of begun) then(now)
      }
    },
  }
}
