import { steadyNow } from '../../../api/pacing/index.ts'
import type { PermitNote, RateAnswer } from './messages.ts'

/** A permit that this process may use, with times of its own clock. */
export interface OwnPermit {
  readonly slot: number
  readonly fromMs: number
  readonly untilMs: number
}

/** The unused permits of one key in this process, and what it has not yet reported about used ones. */
export interface PrefetchedPermits {
  /** The number of permits that can be used, now or later. */
  count(): number
  /** The next permit that can be used now. */
  take(): OwnPermit | undefined
  /** When the next permit can be used. */
  nextMs(): number | undefined
  /** Adds the permits of an answer. The limiter counted them between the two times. */
  add(answer: Pick<RateAnswer, 'permits'>, earliestMs: number, latestMs: number): void
  /** Returns a permit that was taken and not used. */
  putBack(permit: OwnPermit): void
  note(slot: number, kind: PermitNote['kind'], atMs: number): void
  hasNotes(): boolean
  /** Takes all reports, each with its age. */
  takeNotes(): readonly PermitNote[]
  /** Puts reports back that could not be sent. */
  restore(notes: readonly PermitNote[], takenMs: number): void
  /** True once if permits expired unused since the last call. */
  wasTooMuch(): boolean
  /** When the last unused permit expires. */
  lastMs(): number | undefined
}

export function createPrefetchedPermits(): PrefetchedPermits {
  let permits: OwnPermit[] = []
  let notes = new Map<number, { kind: PermitNote['kind']; atMs: number }>()

  let isTooMuch = false

  const note: PrefetchedPermits['note'] = (slot, kind, atMs) => void notes.set(slot, { kind, atMs })
  const drop = (): void => {
    const now = steadyNow()
    const over = permits.filter(({ untilMs }) => untilMs <= now)
    if (over.length === 0) return
    isTooMuch = true
    for (const { slot } of over) note(slot, 'unused', now)
    permits = permits.filter(({ untilMs }) => untilMs > now)
  }
  return {
    count() {
      drop()
      return permits.length
    },
    take() {
      drop()
      const now = steadyNow()
      const index = permits.findIndex(({ fromMs }) => fromMs <= now)
      return index < 0 ? undefined : permits.splice(index, 1)[0]
    },
    nextMs() {
      drop()
      return permits.length === 0 ? undefined : Math.min(...permits.map(({ fromMs }) => fromMs))
    },
    add({ permits: given }, earliestMs, latestMs) {
      // Each is used after the later time, and within its span from the earlier one.
      for (const { slot, inMs, forMs } of given)
        permits.push({ slot, fromMs: latestMs + inMs, untilMs: earliestMs + inMs + forMs })
    },
    putBack(permit) {
      permits.unshift(permit)
    },
    note,
    hasNotes() {
      drop()
      return notes.size > 0
    },
    takeNotes() {
      drop()
      const now = steadyNow()
      const taken = [...notes].map(([slot, { kind, atMs }]) => ({
        slot,
        kind,
        agoMs: Math.floor(now - atMs),
      }))
      notes = new Map()
      return taken
    },
    restore(untold, takenMs) {
      for (const { slot, kind, agoMs } of untold) if (!notes.has(slot)) note(slot, kind, takenMs - agoMs)
    },
    wasTooMuch() {
      const wasTooMuch = isTooMuch
      isTooMuch = false
      return wasTooMuch
    },
    lastMs() {
      drop()
      return permits.length === 0 ? undefined : Math.max(...permits.map(({ untilMs }) => untilMs))
    },
  }
}
