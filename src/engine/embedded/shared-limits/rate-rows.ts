import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import {
  countAllNow,
  createRateState,
  markAnswered,
  markSent,
  type RateState,
  type RateWindow,
  removeSlot,
  reserve,
} from '../../../core/rate-windows.ts'
import type { LineRows } from './line-rows.ts'

/** A place in a lane, or why there is none. Times are of the boot's clock, in whole milliseconds. */
export type RatePlace =
  | { readonly isGranted: true; readonly slot: number | undefined }
  | {
      readonly isGranted: false
      readonly reason: 'budget' | 'throttle'
      /** When there will be a place, if nothing else happens until then. */
      readonly untilMs: number
      /** There can be none before this. */
      readonly askAgainMs: number
    }

/** The counts of all lanes, as one transaction sees and changes them. */
export interface RateRows {
  /** Takes a place for a process. `inLine`: it goes on waiting, and its turn is kept. */
  take(key: string, windows: readonly RateWindow[], now: number, process: number, inLine: boolean): RatePlace
  markSent(key: string, slot: number, at: number): void
  markAnswered(key: string, slot: number, at: number): void
  /** Gives a place back: the call was certainly not sent. */
  free(key: string, slot: number): void
  pause(key: string, untilMs: number): void
  /**
   * Ends the calls of a process that is no more. What it had not sent, as far as anybody knows, it can have sent until
   * now; what it had sent was counted by the end of the margin.
   */
  endProcess(process: number, now: number): void
  /** Counts every call as of now: what another boot left, whose clock says nothing here. */
  countAllNow(now: number): void
  /** Forgets the lanes that nothing is counted in any more. */
  prune(now: number): void
  /** Begins a transaction: others may have changed everything. */
  begin(): void
  /** Writes what was changed since. */
  write(): void
  /** Drops what was changed since: it could not be written. */
  forget(): void
}

interface Lane {
  /** As it is in the table. */
  text: string
  state: RateState
  pausedUntilMs: number
  /** When a call was last counted, and for how long it can count. */
  usedAtMs: number
  longestMs: number
  isRead: boolean
  isChanged: boolean
}

/** How long somebody who waits for what others may give back at any moment lets pass before asking again. */
const pollMs = 20

export function openRateRows(database: DatabaseSyncInstance, lines: LineRows, marginMs: number): RateRows {
  const select = database.prepare('SELECT * FROM lanes WHERE key = ?')
  const selectKeys = database.prepare('SELECT key FROM lanes')
  const upsert = database.prepare('INSERT OR REPLACE INTO lanes VALUES (?, ?, ?, ?, ?)')
  const deleteOld = database.prepare(`DELETE FROM lanes
    WHERE used_at_ms + longest_ms < ? AND paused_until_ms < ? AND NOT EXISTS (SELECT 1 FROM open_slots WHERE lane = key)`)
  const openSlot = database.prepare('INSERT INTO open_slots VALUES (?, ?, ?)')
  const closeSlot = database.prepare('DELETE FROM open_slots WHERE lane = ? AND slot = ?')
  const slotsIn = database.prepare('SELECT slot FROM open_slots WHERE lane = ?')
  const slotsOf = database.prepare('SELECT lane, slot FROM open_slots WHERE process = ?')
  const deleteSlotsOf = database.prepare('DELETE FROM open_slots WHERE process = ?')
  const lanes = new Map<string, Lane>()

  /** The lane as it is now. One that nobody else has changed needs no parsing. */
  const laneOf = (key: string): Lane => {
    const known = lanes.get(key)
    if (known?.isRead) return known
    const row = select.get(key)
    const text = String(row?.['state'] ?? '')
    const lane: Lane = {
      text,
      state: known?.text === text ? known.state : parseState(text, marginMs),
      pausedUntilMs: Number(row?.['paused_until_ms'] ?? 0),
      usedAtMs: Number(row?.['used_at_ms'] ?? 0),
      longestMs: Number(row?.['longest_ms'] ?? 0),
      isRead: true,
      isChanged: false,
    }
    lanes.set(key, lane)
    return lane
  }
  const change = (lane: Lane, state: RateState, at: number): void => {
    if (state === lane.state) return
    lane.state = state
    lane.usedAtMs = Math.max(lane.usedAtMs, at)
    lane.isChanged = true
  }
  /** When the first place can be free, should every call under way turn out not to have been sent. */
  const earliest = (key: string, { state }: Lane, windows: readonly RateWindow[], now: number): number => {
    const slots = slotsIn.all(key).map((row) => Number(row['slot']))
    const reservation = reserve(slots.reduce(removeSlot, state), windows, now, 1)
    return reservation.isGranted ? now : reservation.untilMs
  }

  return {
    take(key, windows, now, process, inLine) {
      const lane = laneOf(key)
      const { pausedUntilMs: untilMs } = lane
      if (untilMs > now) return { isGranted: false, reason: 'throttle', untilMs, askAgainMs: untilMs }
      if (windows.length === 0) return { isGranted: true, slot: undefined }
      const line = `rate ${key}`
      // A place for each of those who wait in front is left free.
      const inFront = lines.inFront(line, process, now)
      const most = Math.min(...windows.map(({ max }) => max))
      const enough = reserve(lane.state, windows, now, Math.min(1 + inFront, most))
      const isEnough = enough.isGranted && 1 + inFront <= most
      const own = isEnough ? reserve(lane.state, windows, now, 1) : undefined
      if (own?.isGranted) {
        const slot = own.slots[0] as number
        change(lane, own.state, now)
        const longestMs = Math.max(...windows.map(({ lengthMs }) => lengthMs))
        lane.longestMs = Math.max(lane.longestMs, longestMs + marginMs + 1)
        openSlot.run(key, slot, process)
        lines.leave(line, process)
        return { isGranted: true, slot }
      }
      if (inLine) lines.enter(line, process, now)
      const soon = now + pollMs
      const freeMs = enough.isGranted ? soon : enough.untilMs
      const askAgainMs = Math.min(freeMs, Math.max(soon, earliest(key, lane, windows, now)))
      return { isGranted: false, reason: 'budget', untilMs: freeMs, askAgainMs }
    },
    markSent(key, slot, at) {
      const lane = laneOf(key)
      change(lane, markSent(lane.state, slot, at), at)
    },
    markAnswered(key, slot, at) {
      const lane = laneOf(key)
      change(lane, markAnswered(lane.state, slot, at), at)
      closeSlot.run(key, slot)
    },
    free(key, slot) {
      const lane = laneOf(key)
      change(lane, removeSlot(lane.state, slot), 0)
      closeSlot.run(key, slot)
    },
    pause(key, untilMs) {
      const lane = laneOf(key)
      if (untilMs <= lane.pausedUntilMs) return
      lane.pausedUntilMs = untilMs
      lane.isChanged = true
    },
    endProcess(process, now) {
      for (const row of slotsOf.all(process)) {
        const lane = laneOf(String(row['lane']))
        change(lane, markSent(lane.state, Number(row['slot']), now), now)
      }
      deleteSlotsOf.run(process)
    },
    countAllNow(now) {
      for (const row of selectKeys.all()) {
        const lane = laneOf(String(row['key']))
        change(lane, countAllNow(lane.state, now), now)
        // What the service asked for then it will ask for again.
        lane.pausedUntilMs = 0
        lane.usedAtMs = now
      }
    },
    prune: (now) => void deleteOld.run(now, now),
    begin() {
      for (const lane of lanes.values()) lane.isRead = false
    },
    write() {
      for (const [key, lane] of lanes) {
        if (!lane.isRead || !lane.isChanged) continue
        lane.text = JSON.stringify(lane.state)
        lane.isChanged = false
        upsert.run(key, lane.text, lane.pausedUntilMs, lane.usedAtMs, lane.longestMs)
      }
    },
    forget: () => lanes.clear(),
  }
}

function parseState(text: string, marginMs: number): RateState {
  return text === '' ? createRateState(marginMs) : (JSON.parse(text) as RateState)
}
