import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import { isLocked } from '../../file-lock.ts'

/** The processes that use the limits. Each holds the lock on a file of its own for as long as it lives. */
export interface ProcessRows {
  /** The number of a process that has just locked its file. */
  add(name: string, now: number): number
  /** Shows that a process looks for its turn. */
  see(process: number, now: number): void
  /** Those that died without saying so. */
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
