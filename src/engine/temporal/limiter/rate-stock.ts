import { steadyNow } from '../../../api/waits.ts'
import type { PlaceNote, RateAnswer } from './messages.ts'

/** A place that this process may use, on its own clock. */
export interface OwnPlace {
  readonly slot: number
  readonly fromMs: number
  readonly untilMs: number
}

/** The places of one key that this process has, and what it has not yet told about them. */
export interface RateStock {
  /** Places that can be used, now or later. */
  count(): number
  /** The next one that can be used now. */
  take(): OwnPlace | undefined
  /** From when on the next one can be used. */
  nextMs(): number | undefined
  /** Puts the places of an answer in. `askedMs`, `heardMs`: when the question went out, and when the answer came. */
  add(answer: Pick<RateAnswer, 'places' | 'heldMs'>, askedMs: number, heardMs: number): void
  /** Gives a place back that was taken. */
  putBack(place: OwnPlace): void
  note(slot: number, kind: PlaceNote['kind'], atMs: number): void
  hasNotes(): boolean
  /** Everything that is to be told, with its age. Told once. */
  takeNotes(): readonly PlaceNote[]
  /** They could not be told. */
  restore(notes: readonly PlaceNote[], takenMs: number): void
  /** Places have lain here until they were good no more. Said once. */
  wasTooMuch(): boolean
  /** When the last place that lies here is good no more. */
  lastMs(): number | undefined
}

export function createRateStock(): RateStock {
  let places: OwnPlace[] = []
  let notes = new Map<number, { kind: PlaceNote['kind']; atMs: number }>()

  let isTooMuch = false

  const note: RateStock['note'] = (slot, kind, atMs) => void notes.set(slot, { kind, atMs })
  const drop = (): void => {
    const now = steadyNow()
    const over = places.filter(({ untilMs }) => untilMs <= now)
    if (over.length === 0) return
    isTooMuch = true
    for (const { slot } of over) note(slot, 'unused', now)
    places = places.filter(({ untilMs }) => untilMs > now)
  }
  return {
    count() {
      drop()
      return places.length
    },
    take() {
      drop()
      const now = steadyNow()
      const index = places.findIndex(({ fromMs }) => fromMs <= now)
      return index < 0 ? undefined : places.splice(index, 1)[0]
    },
    nextMs() {
      drop()
      return places.length === 0 ? undefined : Math.min(...places.map(({ fromMs }) => fromMs))
    },
    add({ places: given, heldMs = 0 }, askedMs, heardMs) {
      // It was counted between the two: not used before the later, nor after the earlier and its span.
      const earliestMs = Math.min(askedMs + heldMs, heardMs)
      for (const { slot, inMs, forMs } of given)
        places.push({ slot, fromMs: heardMs + inMs, untilMs: earliestMs + inMs + forMs })
    },
    putBack(place) {
      places.unshift(place)
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
      return places.length === 0 ? undefined : Math.max(...places.map(({ untilMs }) => untilMs))
    },
  }
}
