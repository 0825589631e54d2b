import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import type { CallWindows } from '../../../core/action.ts'
import { freeFrom, type RateState, type RateUse, windowsOf } from '../../../core/pacing/index.ts'
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
): readonly RateUse[] | undefined {
  const file = resolve(dataDir, 'limits.db')
  if (!existsSync(file)) return []
  try {
    const database = new DatabaseSync(file, { readOnly: true })
    try {
      if (database.prepare('PRAGMA user_version').get()?.['user_version'] !== limitsVersion) return undefined
      const boot = database.prepare('SELECT name FROM boot').get()?.['name']
      // The times of another boot mean nothing now. The next process counts those calls anew.
      if (boot === undefined || !readBoot().isNamed(String(boot))) return []
      const found = new Map<string, RateUse>()
      for (const { key, state, paused_until_ms } of database.prepare('SELECT * FROM lanes').all()) {
        const action = actionOf(String(key), limits)
        if (action === undefined || state === '') continue
        const parsed = JSON.parse(String(state)) as RateState
        const use = useOf(action, parsed, Number(paused_until_ms), limits.get(action) ?? {})
        const known = found.get(action)
        if (use && (known === undefined || fullness(use) > fullness(known))) found.set(action, use)
      }
      return [...found.values()].sort((one, other) => fullness(other) - fullness(one))
    } finally {
      database.close()
    }
  } catch {
    return undefined
  }
}

/** A key ends with the name of its action: `ACCOUNT/ACTION`, or `http CONNECTION ORIGIN ACTION`. */
function actionOf(key: string, limits: ReadonlyMap<string, CallWindows>): string | undefined {
  const mark = key.startsWith('http ') ? ' ' : '/'
  const named = [...limits.keys()].filter((action) => key.endsWith(mark + action))
  return named.sort((one, other) => other.length - one.length)[0]
}

/** Undefined: no call counts. */
function useOf(
  action: string,
  state: RateState,
  pausedUntilMs: number,
  limit: CallWindows,
): RateUse | undefined {
  const now = bootNow()
  const windows = windowsOf(limit)
  const freeMs = Math.max(freeFrom(state, windows, now, 1), pausedUntilMs)
  const open = state.sent.length + state.unsent.length
  const used = windows.map(({ max, lengthMs }) => ({
    per:
      lengthMs === 1000 ? ('second' as const) : lengthMs === 60_000 ? ('minute' as const) : ('day' as const),
    used: open + state.counted.filter((at) => at + lengthMs + 1 > now).length,
    limit: max,
  }))
  if (freeMs <= now && used.every((window) => window.used === 0)) return undefined
  return {
    action,
    windows: used,
    ...(freeMs > now ? { free_at: new Date(Date.now() + freeMs - now).toISOString() } : {}),
    ...(pausedUntilMs > now ? { is_throttled: true } : {}),
  }
}

function fullness({ windows, free_at }: RateUse): number {
  return Math.max(...windows.map(({ used, limit }) => used / limit)) + (free_at === undefined ? 0 : 1)
}
