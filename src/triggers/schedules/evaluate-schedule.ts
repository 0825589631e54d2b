import { formatDuration } from '../../core/times/index.ts'
import type { EvaluatedFire, ScheduleEvaluation, ScheduleMemory } from '../../engine/embedded/index.ts'
import { nextStarts, type Schedule, type ScheduleEntry } from './schedule-entry.ts'

/** The decision about a schedule at one time, and when to decide again. */
export interface EvaluatedSchedule extends ScheduleEvaluation {
  /** Unix time in milliseconds. */
  readonly wakeAtMs: number
  /** The missed times, in order. */
  readonly missed: readonly number[]
}

/** The largest number of times in one transaction. */
const mostTimes = 200
/** How often to check whether the run that a time waits for has ended. */
const waitingLookMs = 1000

/**
 * Decides which times of a schedule are due. Times that are late by at most `catch-up` start a run each, in order, as
 * `overlap` allows; older ones are missed. A time is decided once, also where the clock was set back.
 */
export function evaluateSchedule(
  entry: ScheduleEntry,
  memory: ScheduleMemory,
  nowMs: number,
): EvaluatedSchedule {
  const { schedule } = entry
  const due = createDueTimes(entry, memory)
  // The clock may have been ahead before: a later time than now is not past.
  let evaluatedUntilMs = Math.min(memory.evaluatedUntilMs, nowMs)
  const missed: number[] = []
  const catchUpMs = catchUpOf(schedule)
  due.startBuffered()
  const times = nextTimes(entry, evaluatedUntilMs, nowMs)
  for (const atMs of times) {
    if (atMs > nowMs) break
    evaluatedUntilMs = atMs
    if (memory.isPaused || memory.isDecided(atMs)) continue
    if (nowMs - atMs > catchUpMs) missed.push(atMs)
    else due.take(atMs)
  }
  const isMore = times.length > mostTimes && evaluatedUntilMs === times.at(-1)
  // Too many to list one by one; those within the catch-up window are listed.
  const pastMs = nowMs - (memory.isPaused ? 0 : catchUpMs) - 1
  const leftOutUntilMs = isMore && pastMs > evaluatedUntilMs ? pastMs : undefined
  if (leftOutUntilMs !== undefined) evaluatedUntilMs = leftOutUntilMs
  const [nextMs = Number.POSITIVE_INFINITY] = nextStarts(schedule, evaluatedUntilMs, 1)
  const { fires, bufferedAtMs, cancels } = due.result()
  return {
    fires: [...missedFires(missed, nowMs, leftOutUntilMs), ...fires],
    evaluatedUntilMs,
    ...(bufferedAtMs === undefined ? {} : { bufferedAtMs }),
    cancels,
    wakeAtMs: bufferedAtMs === undefined ? nextMs : Math.min(nextMs, nowMs + waitingLookMs),
    missed,
  }
}

/** One more than the limit where there are that many. Mostly there is none, or one. */
function nextTimes({ schedule }: ScheduleEntry, afterMs: number, nowMs: number): readonly number[] {
  const few = nextStarts(schedule, afterMs, 2)
  const last = few.at(-1)
  if (last === undefined || last > nowMs) return few
  return nextStarts(schedule, afterMs, mostTimes + 1)
}

/** The last one names the times that are not listed one by one. */
function missedFires(
  missed: readonly number[],
  nowMs: number,
  leftOutUntilMs: number | undefined,
): readonly EvaluatedFire[] {
  return missed.map((atMs, index) => {
    const late = formatDuration(Math.round((nowMs - atMs) / 1000) * 1000)
    const message = `no process was running to start it until ${late} later`
    const isLast = leftOutUntilMs !== undefined && index === missed.length - 1
    const more = isLast
      ? `; all later ones until ${new Date(leftOutUntilMs).toISOString()} were missed, too`
      : ''
    return { atMs, because: 'missed', message: message + more }
  })
}

/** Applies `overlap` to the times that are due, one after the other. */
interface DueTimes {
  /** Starts the time that waits, if no run is open. */
  startBuffered(): void
  take(atMs: number): void
  result(): {
    readonly fires: readonly EvaluatedFire[]
    readonly bufferedAtMs: number | undefined
    readonly cancels: readonly string[]
  }
}

function createDueTimes({ schedule, inputs }: ScheduleEntry, memory: ScheduleMemory): DueTimes {
  const { running, isPaused } = memory
  const fires = new Map<number, EvaluatedFire>()
  let buffered = memory.bufferedAtMs
  let started: number | undefined
  let cancels: readonly string[] = []
  const write = (fire: EvaluatedFire): void => void fires.set(fire.atMs, fire)
  const refuse = (atMs: number, message: string): void => write({ atMs, because: 'inputs_invalid', message })
  const start = (atMs: number): void => {
    started = atMs
    write({ atMs })
  }
  const overlap = (atMs: number, message: string): void => write({ atMs, because: 'overlap', message })
  const wait = (atMs: number): void => {
    buffered = atMs
    const before = running.length === 0 ? 'the run of an earlier time' : running.join(', ')
    write({ atMs, because: 'waits', message: `it waits for the end of ${before}` })
  }
  const take: Readonly<Record<typeof schedule.overlap, (atMs: number) => void>> = {
    'allow-all': start,
    skip: (atMs) => overlap(atMs, goesOn(running)),
    'buffer-one': (atMs) =>
      buffered === undefined ? wait(atMs) : overlap(atMs, 'an earlier time already waits'),
    'cancel-other'(atMs) {
      const earlier = started ?? buffered
      if (earlier !== undefined) overlap(earlier, 'a later time took its place')
      if (running.length === 0) return start(atMs)
      cancels = running
      wait(atMs)
    },
  }
  return {
    startBuffered() {
      if (buffered === undefined || running.length > 0 || isPaused) return
      const atMs = buffered
      buffered = undefined
      if ('problem' in inputs) refuse(atMs, inputs.problem)
      else start(atMs)
    },
    take(atMs) {
      const isFree = running.length === 0 && started === undefined && buffered === undefined
      if ('problem' in inputs) refuse(atMs, inputs.problem)
      else if (isFree) start(atMs)
      else take[schedule.overlap](atMs)
    },
    result: () => ({ fires: [...fires.values()], bufferedAtMs: buffered, cancels }),
  }
}

function goesOn(running: readonly string[]): string {
  return running.length === 0 ? 'the run of an earlier time starts' : `${running.join(', ')} is open`
}

/** The least catch-up: a process may be busy or have just started. */
const leastCatchUpMs = 10_000

/** How late a time of the schedule may be started, in milliseconds. */
export function catchUpOf({ catchUpMs }: Schedule): number {
  return Math.max(catchUpMs, leastCatchUpMs)
}
