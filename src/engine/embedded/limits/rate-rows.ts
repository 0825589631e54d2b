import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import {
  countAllNow,
  createRateState,
  freeFrom,
  markAnswered,
  markSent,
  type RateState,
  type RateWindow,
  removeSlot,
  reserve,
} from '../../../core/pacing/index.ts'
import type { LineRows } from './process-rows.ts'

/** A permit in a lane, or why there is none. Times are of the boot's clock, in whole milliseconds. */
export type RatePermit =
  | { readonly isGranted: true; readonly slot: number | undefined }
  | {
      readonly isGranted: false
      readonly reason: 'budget' | 'throttle'
      /** When there will be a permit, if nothing else happens until then. */
      readonly untilMs: number
      /** There can be none before this time. */
      readonly askAgainMs: number
    }

/** The counts of all lanes, as one transaction sees and changes them. */
export interface RateRows {
  /** Takes a permit for a process. `inLine`: the process keeps waiting, and keeps its turn. */
  take(key: string, windows: readonly RateWindow[], now: number, process: number, inLine: boolean): RatePermit
  markSent(key: string, slot: number, at: number): void
  markAnswered(key: string, slot: number, at: number): void
  /** Returns a permit: the call was certainly not sent. */
  free(key: string, slot: number): void
  pause(key: string, untilMs: number): void
  /** Ends the calls of a dead process. An unsent call counts as sent now; a sent one was counted already. */
  endProcess(process: number, now: number): void
  /** Counts every call as of now, since the clock of another boot means nothing here. */
  countAllNow(now: number): void
  /** Removes the lanes without counted calls. */
  prune(now: number): void
  /** Begins a transaction: other processes may have changed every row. */
  begin(): void
  /** Writes the changes since. */
  write(): void
  /** Drops the changes since, which could not be written. */
  forget(): void
}

interface Lane {
  /** The state as the table has it. */
  text: string
  state: RateState
  pausedUntilMs: number
  /** When a call was last counted, and how long it can count. */
  usedAtMs: number
  longestMs: number
  isRead: boolean
  isChanged: boolean
}

/** How often a process asks again for permits that others may return at any time. */
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

  /** The current lane. It is parsed only if another process has changed it. */
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
  const changed = (lane: Lane, at: number): void => {
    lane.usedAtMs = Math.max(lane.usedAtMs, at)
    lane.isChanged = true
  }
  /** When the first permit can be free if no call in flight was sent. */
  const earliest = (key: string, { state }: Lane, windows: readonly RateWindow[], now: number): number => {
    const without = structuredClone(state)
    for (const row of slotsIn.all(key)) removeSlot(without, Number(row['slot']))
    return freeFrom(without, windows, now, 1)
  }

  return {
    take(key, windows, now, process, inLine) {
      const lane = laneOf(key)
      const { pausedUntilMs: untilMs } = lane
      if (untilMs > now) return { isGranted: false, reason: 'throttle', untilMs, askAgainMs: untilMs }
      if (windows.length === 0) return { isGranted: true, slot: undefined }
      const line = `rate ${key}`
      // One permit for each process in front stays free.
      const inFront = lines.inFront(line, process, now)
      const most = Math.min(...windows.map(({ max }) => max))
      const enoughMs = freeFrom(lane.state, windows, now, Math.min(1 + inFront, most))
      const isEnough = enoughMs <= now && 1 + inFront <= most
      const own = isEnough ? reserve(lane.state, windows, now, 1) : undefined
      if (own?.isGranted) {
        const slot = own.slots[0] as number
        changed(lane, now)
        const longestMs = Math.max(...windows.map(({ lengthMs }) => lengthMs))
        lane.longestMs = Math.max(lane.longestMs, longestMs + marginMs + 1)
        openSlot.run(key, slot, process)
        lines.leave(line, process)
        return { isGranted: true, slot }
      }
      if (inLine) lines.enter(line, process, now)
      const soon = now + pollMs
      const freeMs = enoughMs <= now ? soon : enoughMs
      const askAgainMs = Math.min(freeMs, Math.max(soon, earliest(key, lane, windows, now)))
      return { isGranted: false, reason: 'budget', untilMs: freeMs, askAgainMs }
    },
    markSent(key, slot, at) {
      const lane = laneOf(key)
      markSent(lane.state, slot, at)
      changed(lane, at)
    },
    markAnswered(key, slot, at) {
      const lane = laneOf(key)
      markAnswered(lane.state, slot, at)
      changed(lane, at)
      closeSlot.run(key, slot)
    },
    free(key, slot) {
      const lane = laneOf(key)
      removeSlot(lane.state, slot)
      changed(lane, 0)
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
        markSent(lane.state, Number(row['slot']), now)
        changed(lane, now)
      }
      deleteSlotsOf.run(process)
    },
    countAllNow(now) {
      for (const row of selectKeys.all()) {
        const lane = laneOf(String(row['key']))
        countAllNow(lane.state, now)
        changed(lane, now)
        // The service repeats its request to pause if it still applies.
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
