import type { DatabaseSyncInstance } from '@photostructure/sqlite'

/**
 * The lines in which processes wait for a lane or a target. Within a process only one waits in each line; who that is
 * the process decides. A process that does not look for its turn, because it was stopped, is passed by: nobody waits
 * for somebody who does not come.
 */
export interface LineRows {
  /** How many wait in front of a process, which may be in the line or not. */
  inFront(line: string, process: number, now: number): number
  /** Keeps a turn. The line moves on by {@link LineRows.leave} alone. */
  enter(line: string, process: number, now: number): void
  leave(line: string, process: number): void
  endProcess(process: number): void
}

/** Whoever waits shows itself several times in this time. */
const absentAfterMs = 400

export function openLineRows(database: DatabaseSyncInstance): LineRows {
  const count = database.prepare(`SELECT count(*) AS count FROM waiting JOIN processes ON id = process
    WHERE line = ?1 AND process <> ?2 AND seen_ms >= ?3 AND ticket <
      coalesce((SELECT ticket FROM waiting WHERE line = ?1 AND process = ?2), 9007199254740991)`)
  const insert = database.prepare(`INSERT OR IGNORE INTO waiting
    SELECT ?1, ?2, coalesce(max(ticket), 0) + 1 FROM waiting WHERE line = ?1`)
  const see = database.prepare('UPDATE processes SET seen_ms = ? WHERE id = ?')
  const remove = database.prepare('DELETE FROM waiting WHERE line = ? AND process = ?')
  const removeAll = database.prepare('DELETE FROM waiting WHERE process = ?')
  return {
    inFront: (line, process, now) => Number(count.get(line, process, now - absentAfterMs)?.['count'] ?? 0),
    enter(line, process, now) {
      insert.run(line, process)
      see.run(now, process)
    },
    leave: (line, process) => void remove.run(line, process),
    endProcess: (process) => void removeAll.run(process),
  }
}
