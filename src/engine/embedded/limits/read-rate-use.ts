import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import type { CallWindows } from '../../../core/action.ts'
import {
  countUse,
  createRateState,
  describeUse,
  fullestOf,
  type RateReading,
  subjectOfKey,
  windowsOf,
} from '../../../core/pacing/index.ts'
import { limitsVersion, machineNow, usualMarginMs } from './schema.ts'

/**
 * Reads which calls count now against the limits that the processes of a data directory share. Changes nothing, and
 * waits for nobody. An action of several accounts is there once: with the account that has the least room. Undefined:
 * the file cannot be read, or is of another version.
 */
export function readRateUse(
  dataDir: string,
  limits: ReadonlyMap<string, CallWindows>,
): RateReading | undefined {
  const file = resolve(dataDir, 'limits.db')
  if (!existsSync(file)) return { limits: [] }
  try {
    const database = new DatabaseSync(file, { readOnly: true })
    try {
      if (database.prepare('PRAGMA user_version').get()?.['user_version'] !== limitsVersion) return undefined
      const now = machineNow()
      const uses = database
        .prepare(perKey)
        .all(now, now)
        .map(({ key, times, paused_until_ms }) => {
          const subject = subjectOfKey(String(key), limits.keys())
          if (subject === undefined) return undefined
          const windows = windowsOf(limits.get(subject) ?? {})
          const all = JSON.parse(String(times)) as readonly (number | null)[]
          // What an earlier start of the machine counted, the next process counts as sent now.
          const counted = all.flatMap((at) => at ?? []).map((at) => Math.min(at, now + usualMarginMs))
          const unsent = all.flatMap((at) => (at === null ? [0] : []))
          const state = { ...createRateState(usualMarginMs), counted: counted.sort((a, b) => a - b), unsent }
          return describeUse(
            subject,
            windows,
            countUse(state, windows, now, Number(paused_until_ms)),
            Date.now(),
          )
        })
      return { limits: fullestOf(uses) }
    } finally {
      database.close()
    }
  } catch {
    return undefined
  }
}

const perKey = `SELECT key, json_group_array(counted_by) AS times, coalesce((SELECT until_ms FROM pauses
  WHERE pauses.key = permits.key AND from_ms <= ? AND until_ms > ?), 0) AS paused_until_ms FROM permits GROUP BY key`
