import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import type { CallWindows } from '../../../core/action.ts'
import {
  countUse,
  describeUse,
  fullestOf,
  type RateReading,
  type RateState,
  subjectOfKey,
  windowsOf,
} from '../../../core/pacing/index.ts'
import { bootNow, readBoot } from './boot-clock.ts'
import { limitsVersion } from './schema.ts'

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
      const boot = database.prepare('SELECT name FROM boot').get()?.['name']
      // The times of another boot mean nothing now. The next process counts those calls anew.
      if (boot === undefined || !readBoot().isNamed(String(boot))) return { limits: [] }
      const uses = database
        .prepare('SELECT * FROM lanes')
        .all()
        .map(({ key, state, paused_until_ms }) => {
          const subject = subjectOfKey(String(key), limits.keys())
          if (subject === undefined || state === '') return undefined
          const windows = windowsOf(limits.get(subject) ?? {})
          const counted = JSON.parse(String(state)) as RateState
          const use = countUse(counted, windows, bootNow(), Number(paused_until_ms))
          return describeUse(subject, windows, use, Date.now())
        })
      return { limits: fullestOf(uses) }
    } finally {
      database.close()
    }
  } catch {
    return undefined
  }
}
