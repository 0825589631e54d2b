import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import { isLocked } from '../../file-lock/index.ts'

/** The processes that use the limits. Each holds the lock on its own file while it lives. */
export interface ProcessRows {
  /** Registers a process that has locked its file, and returns its number. */
  add(name: string, now: number): number
  /** Records that a process checks for its turn. */
  see(process: number, now: number): void
  /** The processes that died without deregistering. */
  listDead(process: number): readonly DeadProcess[]
  remove(process: DeadProcess): void
}

export interface DeadProcess {
  readonly id: number
  readonly name: string
}

export function openProcessRows(database: DatabaseSyncInstance, folder: string): ProcessRows {
  const insert = database.prepare('INSERT INTO processes (name, seen_ms) VALUES (?, ?)')
  const update = database.prepare('UPDATE processes SET seen_ms = ? WHERE id = ?')
  const others = database.prepare('SELECT id, name FROM processes WHERE id <> ?')
  const remove = database.prepare('DELETE FROM processes WHERE id = ?')
  return {
    add: (name, now) => Number(insert.run(name, now).lastInsertRowid),
    see: (process, now) => void update.run(now, process),
    listDead(process) {
      const rows = others.all(process).map((row) => ({ id: Number(row['id']), name: String(row['name']) }))
      return rows.filter(({ name }) => !isLocked(lockFileOf(folder, name)))
    },
    remove({ id, name }) {
      remove.run(id)
      rmSync(lockFileOf(folder, name), { force: true })
    },
  }
}

export function lockFileOf(folder: string, name: string): string {
  return join(folder, `${name}.lock`)
}

/**
 * The lines in which processes wait for a lane or a target. One caller of each process waits in a line. A process that
 * does not check for its turn, because it was stopped, is passed over.
 */
export interface LineRows {
  /** The number of processes in front of a process, which may be in the line or not. */
  inFront(line: string, process: number, now: number): number
  /** Enters the line. Only {@link LineRows.leave} ends that. */
  enter(line: string, process: number, now: number): void
  leave(line: string, process: number): void
  endProcess(process: number): void
}

/** A waiting process checks for its turn several times within this time. */
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
