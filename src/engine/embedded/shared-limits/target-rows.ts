import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { LineRows } from './line-rows.ts'

/** Who has which target, as one transaction sees and changes it. */
export interface TargetRows {
  /** Takes a target that is free, and that nobody in front waits for. `inLine`: the process goes on waiting. */
  take(key: string, now: number, process: number, inLine: boolean): boolean
  /** Takes all the targets that a process waits for and can have by now. */
  takeFree(now: number, process: number): readonly string[]
  free(key: string, process: number): void
  leave(key: string, process: number): void
  endProcess(process: number): void
}

export function openTargetRows(database: DatabaseSyncInstance, lines: LineRows): TargetRows {
  const holder = database.prepare('SELECT process FROM targets WHERE key = ?')
  const insert = database.prepare('INSERT INTO targets VALUES (?, ?)')
  const remove = database.prepare('DELETE FROM targets WHERE key = ? AND process = ?')
  const removeAll = database.prepare('DELETE FROM targets WHERE process = ?')
  const free = database.prepare(`SELECT line FROM waiting WHERE process = ? AND line GLOB 'target *'
    AND NOT EXISTS (SELECT 1 FROM targets WHERE key = line)`)

  const isFree = (line: string, now: number, process: number): boolean =>
    holder.get(line) === undefined && lines.inFront(line, process, now) === 0
  const give = (line: string, process: number): void => {
    insert.run(line, process)
    lines.leave(line, process)
  }
  return {
    take(key, now, process, inLine) {
      const line = lineOf(key)
      if (isFree(line, now, process)) {
        give(line, process)
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
      for (const line of taken) give(line, process)
      return taken.map((line) => line.slice(prefix.length))
    },
    free: (key, process) => void remove.run(lineOf(key), process),
    leave: (key, process) => lines.leave(lineOf(key), process),
    endProcess: (process) => void removeAll.run(process),
  }
}

/** Lines of targets, apart from those of lanes. */
const prefix = 'target '

function lineOf(key: string): string {
  return prefix + key
}
