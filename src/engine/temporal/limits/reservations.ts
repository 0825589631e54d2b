import type { HeardAnswer } from './limiter-port.ts'

/**
 * The right to send one request, in times of this process. The limiter counted it between the request and the answer.
 * So it is valid from the answer on, and ends by the request, whatever the clocks say.
 */
export interface Reservation {
  readonly slot: number
  readonly fromMs: number
  readonly untilMs: number
  /** Its time, counted from the request. */
  readonly dueMs: number
}

/** The reservations of one key in this process. */
export interface Reservations {
  /** For how long the next ones have to be valid: longer where calls were late. */
  validMs(): number
  /** Gives back those that were over before their answer came. */
  add(answer: HeardAnswer, heardMs: number, validMs: number): void
  /** The next one. Gives back those that are over, or will be when the pause is. */
  next(nowMs: number, pausedUntilMs: number): Reservation | undefined
  /** Takes the next one, to send its request. */
  take(): void
  giveBack(slots: readonly number[]): void
  /** Gives back those that are more than the calls that wait. */
  giveBackAbove(count: number): void
  /** The request of one was sent, or would have been: the next ones are valid for long enough. */
  sent(one: Reservation, nowMs: number): void
  hasUnused(): boolean
  /** Those that were given back since the last call. */
  takeUnused(): readonly number[]
}

const leastValidMs = 150
const mostValidMs = 5000
/** Besides the time that calls need. */
const besidesMs = 100

export function createReservations(): Reservations {
  const held: Reservation[] = []
  let unused: number[] = []
  /** How long after its time a request is sent, lately: for the answer, for this process, and to connect. */
  let neededMs = 0
  /** The last one was over before it could be used. */
  let isLate = false
  const learn = (lateMs: number): void => {
    neededMs = Math.max(lateMs, (neededMs + lateMs) / 2)
  }
  const learnOfLate = (lateMs: number): void => {
    // One late answer is chance, and to reserve for longer costs all processes.
    if (isLate) learn(lateMs)
    isLate = true
  }
  const giveBackFirst = (): void => {
    unused.push(...held.splice(0, 1).map(({ slot }) => slot))
  }
  return {
    validMs: () => Math.ceil(Math.min(Math.max(leastValidMs, besidesMs + neededMs), mostValidMs)),
    add({ askedMs, reserved }, heardMs, validMs) {
      if (reserved.length > 0 && heardMs - askedMs >= validMs) {
        learnOfLate(heardMs - askedMs)
        unused.push(...reserved.map(({ slot }) => slot))
        return
      }
      for (const { slot, inMs } of reserved) {
        const dueMs = askedMs + inMs
        held.push({ slot, fromMs: heardMs + inMs, untilMs: dueMs + validMs, dueMs })
      }
    },
    next(nowMs, pausedUntilMs) {
      const [first] = held
      if (first && first.untilMs <= nowMs) learnOfLate(nowMs - first.dueMs)
      while (held[0] && held[0].untilMs <= Math.max(nowMs, pausedUntilMs)) giveBackFirst()
      return held[0]
    },
    take: () => void held.shift(),
    giveBack: (slots) => void unused.push(...slots),
    giveBackAbove(count) {
      for (const { slot } of held.splice(count)) unused.push(slot)
    },
    sent({ dueMs }, nowMs) {
      isLate = false
      learn(nowMs - dueMs)
    },
    hasUnused: () => unused.length > 0,
    takeUnused() {
      const taken = unused
      unused = []
      return taken
    },
  }
}
