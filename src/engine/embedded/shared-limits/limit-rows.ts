import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import { type LineRows, openLineRows } from './line-rows.ts'
import { type DeadProcess, openProcessRows, type ProcessRows } from './process-rows.ts'
import { openRateRows, type RateRows } from './rate-rows.ts'
import { openTargetRows, type TargetRows } from './target-rows.ts'

/** All that is shared, by subject. Used inside a transaction only. */
export interface LimitRows {
  readonly lines: LineRows
  readonly rates: RateRows
  readonly targets: TargetRows
  readonly processes: ProcessRows
  /** Takes everything back from a process that is no more. */
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
