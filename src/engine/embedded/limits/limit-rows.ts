import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import {
  type DeadProcess,
  type LineRows,
  openLineRows,
  openProcessRows,
  type ProcessRows,
} from './process-rows.ts'
import { openRateRows, type RateRows } from './rate-rows.ts'

/** The shared state by subject. Used inside a transaction only. */
export interface LimitRows {
  readonly lines: LineRows
  readonly rates: RateRows
  readonly targets: TargetRows
  readonly processes: ProcessRows
  /** Releases everything that a dead process held. */
  endProcess(process: DeadProcess, now: number): void
}

export function openLimitRows(database: DatabaseSyncInstance, folder: string, marginMs: number): LimitRows {
  const lines = openLineRows(database)
  const rates = openRateRows(database, lines, marginMs)
  const targets = openTargetRows(database, lines)
  const processes = openProcessRows(database, folder)
  return {
    lines,
    rates,
    targets,
    processes,
    endProcess(process, now) {
      rates.endProcess(process.id, now)
      targets.endProcess(process.id)
      lines.endProcess(process.id)
      processes.remove(process)
    },
  }
}

/** The holders of targets, as one transaction sees and changes them. */
export interface TargetRows {
  /** Takes a free target, unless processes in front wait for it. `inLine`: the process keeps waiting. */
  take(key: string, now: number, process: number, inLine: boolean): boolean
  /** Takes all targets that a process waits for and that are free for it. */
  takeFree(now: number, process: number): readonly string[]
  free(key: string, process: number): void
  leave(key: string, process: number): void
  endProcess(process: number): void
}

function openTargetRows(database: DatabaseSyncInstance, lines: LineRows): TargetRows {
  const holder = database.prepare('SELECT process FROM targets WHERE key = ?')
  const insert = database.prepare('INSERT INTO targets VALUES (?, ?)')
  const remove = database.prepare('DELETE FROM targets WHERE key = ? AND process = ?')
  const removeAll = database.prepare('DELETE FROM targets WHERE process = ?')
  const free = database.prepare(`SELECT line FROM waiting WHERE process = ? AND line GLOB 'target *'
    AND NOT EXISTS (SELECT 1 FROM targets WHERE key = line)`)

  const isFree = (line: string, now: number, process: number): boolean =>
    holder.get(line) === undefined && lines.inFront(line, process, now) === 0
  const grant = (line: string, process: number): void => {
    insert.run(line, process)
    lines.leave(line, process)
  }
  return {
    take(key, now, process, inLine) {
      const line = lineOf(key)
      if (isFree(line, now, process)) {
        grant(line, process)
        return true
      }
      if (inLine) lines.enter(line, process, now)
      return false
    },
    takeFree(now, process) {
      const taken = free
        .all(process)
        .map((row) => String(row['line']))
        .filter((line) => isFree(line, now, process))
      for (const line of taken) grant(line, process)
      return taken.map((line) => line.slice(prefix.length))
    },
    free: (key, process) => void remove.run(lineOf(key), process),
    leave: (key, process) => lines.leave(lineOf(key), process),
    endProcess: (process) => void removeAll.run(process),
  }
}

/** Separates the lines of targets from those of lanes. */
const prefix = 'target '

function lineOf(key: string): string {
  return prefix + key
}
