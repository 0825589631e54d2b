import { createLanes } from './lanes.ts'
import { callsByLane, type Task } from './task.ts'
import { type Continue, createTimeline, type Timeline } from './timeline.ts'

/** When a step begins and ends at the earliest, in milliseconds from the start. */
export interface Span {
  readonly startMs: number
  readonly endMs: number
}

/** The earliest end of a task. */
export interface Simulated {
  readonly endMs: number
  /** By path of the step; empty where there are too many calls to walk through. */
  readonly spans: ReadonlyMap<string, Span>
}

/** More calls than this are not walked through one by one. */
const mostCalls = 100_000

/**
 * The shortest time a task can take when the service answers at once: calls wait for nothing but the windows of
 * their lane, in the order they come. `includesMaybe`: as if every open condition held.
 */
export function simulate(task: Task, includesMaybe: boolean): Simulated {
  const lanes = [...callsByLane(task, includesMaybe).values()]
  if (lanes.reduce((sum, { count }) => sum + count, 0) <= mostCalls) return walk(task, includesMaybe)
  const bounds = lanes.flatMap(({ count, windows }) =>
    windows.map(({ max, lengthMs }) => Math.floor((count - 1) / max) * lengthMs),
  )
  return { endMs: Math.max(0, ...bounds), spans: new Map() }
}

function walk(root: Task, includesMaybe: boolean): Simulated {
  const timeline = createTimeline()
  const lanes = createLanes(timeline)
  const spans = new Map<string, Span>()

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
      pool(task.count, 1, (_, at, next) => lanes.call(task.lane, task.windows, at, next))
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
