import { randomInt } from 'node:crypto'
import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { NoPermit } from '../../../api/pacing/index.ts'
import { createRateState, freeFrom, type RateWindow } from '../../../core/pacing/index.ts'

/** The permits of all processes, inside a transaction. Times are whole milliseconds of the machine's clock. */
export interface PermitRows {
  /** Takes a permit and returns its number, or undefined where nothing limits the calls. */
  take(key: string, windows: readonly RateWindow[], now: number): number | undefined | NoPermit
  markSent(id: number, at: number): void
  markAnswered(id: number, at: number): void
  /** Returns a permit: the call was certainly not sent. */
  free(id: number): void
  pause(key: string, untilMs: number, now: number): void
  /** The other processes that have permits for calls that they have not sent. */
  listHolders(): readonly string[]
  /** Ends the permits of a dead process. It may have sent its calls until now. */
  endHolder(holder: string, now: number): void
  /** Removes what counts no more. What an earlier start of the machine counted counts as sent now. */
  tidy(now: number): void
}

/** How often a process asks again for permits that others may return at any time. */
export const pollMs = 20
/** No limit has a longer window. */
const dayMs = 86_400_000

export function openPermitRows(database: DatabaseSyncInstance, holder: string, marginMs: number): PermitRows {
  const selectPause = database.prepare('SELECT until_ms FROM pauses WHERE key = ?')
  const selectNth = database.prepare(`SELECT counted_by FROM permits
    WHERE key = ? AND counted_by <= ? ORDER BY counted_by DESC LIMIT 1 OFFSET ?`)
  const countUnsent = database.prepare(
    'SELECT count(*) AS count FROM permits WHERE key = ? AND counted_by IS NULL',
  )
  const forget = database.prepare('DELETE FROM permits WHERE key = ? AND counted_by < ?')
  const insert = database.prepare('INSERT INTO permits VALUES (?, ?, NULL, ?)')
  const send = database.prepare('UPDATE permits SET counted_by = ? WHERE id = ? AND counted_by IS NULL')
  const answer = database.prepare(
    'UPDATE permits SET counted_by = min(coalesce(counted_by, ?1), ?1) WHERE id = ?2',
  )
  const remove = database.prepare('DELETE FROM permits WHERE id = ?')
  const pause = database.prepare(`INSERT INTO pauses VALUES (?, ?, ?)
    ON CONFLICT DO UPDATE SET from_ms = excluded.from_ms, until_ms = max(until_ms, excluded.until_ms)`)
  const holders = database.prepare(
    'SELECT DISTINCT holder FROM permits WHERE counted_by IS NULL AND holder <> ?',
  )
  const end = database.prepare('UPDATE permits SET counted_by = ? WHERE holder = ? AND counted_by IS NULL')
  // A number is never used again: a late answer would change the permit of another call.
  let lastId = randomInt(2 ** 47)
  /** When a window takes one more call, after calls until `latestMs` and unsent ones. */
  const freeAt = (
    { max, lengthMs }: RateWindow,
    key: string,
    now: number,
    latestMs: number,
    unsent: number,
  ) => {
    // Only the last of `max` calls matters: it alone has to leave a window of one call.
    const state = createRateState(marginMs)
    const last = unsent < max ? selectNth.get(key, latestMs, max - 1 - unsent) : undefined
    if (last) state.counted.push(Number(last['counted_by']))
    else if (unsent >= max) state.unsent.push(0)
    return freeFrom(state, [{ max: 1, lengthMs }], now, 1)
  }
  return {
    take(key, windows, now) {
      const pausedUntilMs = Number(selectPause.get(key)?.['until_ms'] ?? 0)
      if (pausedUntilMs > now) return { reason: 'throttle', untilMs: pausedUntilMs }
      if (windows.length === 0) return undefined
      const unsent = Number(countUnsent.get(key)?.['count'])
      const untilMs = Math.max(
        ...windows.map((window) => freeAt(window, key, now, Number.MAX_SAFE_INTEGER, unsent)),
      )
      if (untilMs <= now) {
        forget.run(key, now - Math.max(...windows.map(({ lengthMs }) => lengthMs)) - 1)
        insert.run(++lastId, key, holder)
        return lastId
      }
      // Calls that are under way can be answered or cancelled at any time.
      const earliestMs = Math.max(now + pollMs, ...windows.map((window) => freeAt(window, key, now, now, 0)))
      return { reason: 'budget', untilMs, askAgainMs: Math.min(untilMs, earliestMs) }
    },
    markSent: (id, at) => void send.run(at + marginMs, id),
    markAnswered: (id, at) => void answer.run(at, id),
    free: (id) => void remove.run(id),
    pause: (key, untilMs, now) => void pause.run(key, now, untilMs),
    listHolders: () => holders.all(holder).map((row) => String(row['holder'])),
    endHolder: (dead, now) => void end.run(now + marginMs, dead),
    tidy(now) {
      // No call of now can have a later time than this. The service repeats a pause if it still applies.
      const latest = now + marginMs
      database.exec(`DELETE FROM permits WHERE counted_by < ${now - dayMs - 1};
        UPDATE permits SET counted_by = ${latest} WHERE counted_by > ${latest};
        DELETE FROM pauses WHERE from_ms > ${now} OR until_ms <= ${now}`)
    },
  }
}
