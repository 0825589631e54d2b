import { formatDuration } from '../../core/duration.ts'
import type { ScheduleMemory, ScheduleTurn, TurnFire } from '../../engine/embedded/index.ts'
import { catchUpOf, dueTime } from './due-time.ts'
import { nextStarts } from './next-starts.ts'
import type { ScheduleEntry } from './schedule-entry.ts'

/** What is decided about a schedule at one moment, and when to look again. */
export interface DecidedTurn extends ScheduleTurn {
  /** Unix time in milliseconds. Left out: it has no times any more. */
  readonly wakeAtMs?: number
  /** Times that nobody was there for, in order. */
  readonly missed: readonly number[]
}

/** So many times are looked at in one transaction. */
const mostTimes = 200
/** How soon to look whether the run has ended that a time waits for. */
const waitingLookMs = 1000

/**
 * Decides which times of a schedule are due: those that are late by no more than `catch-up` start a run each, in order,
 * as far as `overlap` lets them; older ones were missed. A time that was decided once is left alone, also where the clock
 * was set back and shows it again.
 */
export function decideTurn(entry: ScheduleEntry, memory: ScheduleMemory, nowMs: number): DecidedTurn {
  const { id, schedule } = entry
  const due = createDueTimes(entry, memory)
  // A clock that was wrong and is right now: what it showed is not the past.
  let lookedUntilMs = Math.min(memory.lookedUntilMs, nowMs)
  const missed: number[] = []
  const catchUpMs = catchUpOf(schedule)
  due.startBuffered()
  const times = nextTimes(entry, lookedUntilMs, nowMs)
  for (const atMs of times) {
    const dueMs = dueTime(id, schedule, atMs)
    if (dueMs > nowMs) break
    lookedUntilMs = atMs
    if (memory.isPaused || memory.isDecided(atMs)) continue
    if (nowMs - dueMs > catchUpMs) missed.push(atMs)
    else due.take(atMs)
  }
  const isMore = times.length > mostTimes && lookedUntilMs === times.at(-1)
  // Too many to be told one by one; those that can still be caught up are told.
  const pastMs = nowMs - (memory.isPaused ? 0 : catchUpMs) - (schedule.jitterMs ?? 0) - 1
  const leftOutUntilMs = isMore && pastMs > lookedUntilMs ? pastMs : undefined
  if (leftOutUntilMs !== undefined) lookedUntilMs = leftOutUntilMs
  const [nextMs] = nextStarts(schedule, lookedUntilMs, 1)
  const { fires, bufferedAtMs, cancels } = due.result()
  const wakes = [
    ...(nextMs === undefined ? [] : [dueTime(id, schedule, nextMs)]),
    ...(bufferedAtMs === undefined ? [] : [nowMs + waitingLookMs]),
  ]
  return {
    fires: [...missedFires(missed, nowMs, leftOutUntilMs), ...fires],
    lookedUntilMs,
    ...(bufferedAtMs === undefined ? {} : { bufferedAtMs }),
    cancels,
    ...(wakes.length === 0 ? {} : { wakeAtMs: Math.min(...wakes) }),
    missed,
  }
}

/** One more than are looked at, where there are so many. Mostly there is none, or one. */
function nextTimes({ schedule }: ScheduleEntry, afterMs: number, nowMs: number): readonly number[] {
  const few = nextStarts(schedule, afterMs, 2)
  const last = few.at(-1)
  if (last === undefined || last > nowMs) return few
  return nextStarts(schedule, afterMs, mostTimes + 1)
}

/** The last one tells of those that are not told one by one. */
function missedFires(
  missed: readonly number[],
  nowMs: number,
  leftOutUntilMs: number | undefined,
): readonly TurnFire[] {
  return missed.map((atMs, index) => {
    const late = formatDuration(Math.round((nowMs - atMs) / 1000) * 1000)
    const message = `nobody was there to start it until ${late} later`
    const isLast = leftOutUntilMs !== undefined && index === missed.length - 1
    const more = isLast
      ? `; all later ones until ${new Date(leftOutUntilMs).toISOString()} were missed, too`
      : ''
    return { atMs, because: 'missed', message: message + more }
  })
}

/** What `overlap` makes of times that are due, one after the other. */
interface DueTimes {
  /** The time that waits begins, where nothing goes on any more. */
  startBuffered(): void
  take(atMs: number): void
  result(): {
    readonly fires: readonly TurnFire[]
    readonly bufferedAtMs: number | undefined
    readonly cancels: readonly string[]
  }
}

function createDueTimes({ schedule, inputs }: ScheduleEntry, memory: ScheduleMemory): DueTimes {
  const { running, isPaused } = memory
  const fires = new Map<number, TurnFire>()
  let buffered = memory.bufferedAtMs
  let started: number | undefined
  let cancels: readonly string[] = []
  const write = (fire: TurnFire): void => void fires.set(fire.atMs, fire)
  const refuse = (atMs: number, message: string): void => write({ atMs, because: 'inputs_invalid', message })
  const start = (atMs: number): void => {
    started = atMs
    write({ atMs })
  }
  const overlap = (atMs: number, message: string): void => write({ atMs, because: 'overlap', message })
  const wait = (atMs: number): void => {
    buffered = atMs
    const before = running.length === 0 ? 'the run of a time before it' : running.join(', ')
    write({ atMs, because: 'waits', message: `it waits for the end of ${before}` })
  }
  const take: Readonly<Record<typeof schedule.overlap, (atMs: number) => void>> = {
    'allow-all': start,
    skip: (atMs) => overlap(atMs, goesOn(running)),
    'buffer-one': (atMs) =>
      buffered === undefined ? wait(atMs) : overlap(atMs, 'a time before it waits already'),
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
  return running.length === 0 ? 'the run of a time before it begins' : `${running.join(', ')} goes on`
}
