import { createWaitingLane, type NoPermit, steadyNow, type WaitingLane } from '../../../api/pacing/index.ts'
import type { RateWindow } from '../../../core/pacing/index.ts'
import type { LimiterPort } from './limiter-port.ts'
import type { RateAnswer, RateRequest } from './messages.ts'
import { createReservations, type Reservations } from './reservations.ts'

/** The calls of one key in this process, and what their limiter has answered. */
export interface LimiterClient {
  readonly lane: WaitingLane
  readonly own: Reservations
  /** When the limiter has answered last. */
  readonly heardMs: number
  readonly pausedUntilMs: number
  /** All is reserved, and until when. */
  readonly wait: NoPermit | undefined
  isClosed(): boolean
  /** Reserves calls for those that wait. Resolves after the request that is under way, if there is one. */
  reserve(windows: readonly RateWindow[]): Promise<void>
  /** Reports what the limiter does not know, and learns of a pause. */
  look(): void
  /** Gives back what no call waits for, and reports it soon. */
  settle(): void
  /** No call of any process is sent before this time. */
  pause(untilMs: number): void
  /** Gives back everything. */
  close(): Promise<void>
}

/** The delay of a report, so that one request carries several. */
const soonMs = 20
/** A request that was refused is not repeated before. */
const refusedMs = 1000
/** Where all is reserved, processes ask again one after another and not together. */
const spreadMs = 1000

export function createLimiterClient(port: LimiterPort): LimiterClient {
  const lane = createWaitingLane()
  const own = createReservations()
  const closing = new AbortController()
  let asking: Promise<void> | undefined
  let reporting: NodeJS.Timeout | undefined
  /** The limiter does not know of the pause yet. */
  let isPauseUntold = false
  /** Fails all calls that wait, and not only the one that asked. */
  let refused: { readonly thrown: unknown; readonly untilMs: number } | undefined

  const send = async (windows: readonly RateWindow[], want: number): Promise<void> => {
    const forMs = own.validMs()
    const unused = own.takeUnused()
    const toldUntilMs = isPauseUntold ? limiter.pausedUntilMs : 0
    isPauseUntold = false
    const request = (): RateRequest => {
      const pauseMs = Math.ceil(toldUntilMs - steadyNow())
      return { windows, want, forMs, unused, ...(pauseMs > 0 ? { pauseMs } : {}) }
    }
    const answer = await port.ask(request, closing.signal).catch((thrown: unknown) => {
      own.giveBack(unused)
      isPauseUntold ||= toldUntilMs > 0
      throw thrown
    })
    const heardMs = steadyNow()
    limiter.heardMs = heardMs
    limiter.pausedUntilMs = Math.max(limiter.pausedUntilMs, heardMs + answer.pausedForMs)
    own.add(answer, heardMs, forMs)
    limiter.wait = answer.none && waitAfter(heardMs, answer.none)
  }
  const ask = (windows: readonly RateWindow[], want: number): Promise<void> => {
    asking ??= send(windows, want)
      .catch((thrown: unknown) => {
        refused = { thrown, untilMs: steadyNow() + refusedMs }
        throw thrown
      })
      .finally(() => {
        asking = undefined
        lane.sleep?.wake()
        settle()
      })
    return asking
  }
  const look = (): void => void ask([], 0).catch(() => {})
  const hasNews = (): boolean => own.hasUnused() || isPauseUntold
  const settle = (): void => {
    own.giveBackAbove(lane.waiting)
    if (reporting || !hasNews()) return
    reporting = setTimeout(() => {
      reporting = undefined
      // Another request may have had it with it.
      if (hasNews()) look()
    }, soonMs).unref()
  }
  const limiter: { -readonly [Key in keyof LimiterClient]: LimiterClient[Key] } = {
    lane,
    own,
    heardMs: 0,
    pausedUntilMs: 0,
    wait: undefined,
    isClosed: () => closing.signal.aborted,
    async reserve(windows) {
      if (refused && refused.untilMs > steadyNow()) throw refused.thrown
      await ask(windows, lane.waiting)
    },
    look,
    settle,
    pause(untilMs) {
      limiter.pausedUntilMs = Math.max(limiter.pausedUntilMs, untilMs)
      isPauseUntold = true
      lane.sleep?.wake()
      settle()
    },
    async close() {
      closing.abort()
      lane.sleep?.wake()
      await asking?.catch(() => {})
      own.giveBackAbove(0)
      if (hasNews()) await ask([], 0).catch(() => {})
      clearTimeout(reporting)
    },
  }
  return limiter
}

function waitAfter(heardMs: number, { freeInMs, askAgainInMs }: NonNullable<RateAnswer['none']>): NoPermit {
  const askAgainMs = heardMs + askAgainInMs + Math.random() * spreadMs
  return { reason: 'budget', untilMs: heardMs + freeInMs, askAgainMs }
}
