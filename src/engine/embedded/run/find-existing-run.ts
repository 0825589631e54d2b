import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import {
  type Concurrency,
  concurrencyConflict,
  concurrencyOf,
  joinText,
  keyTaken,
} from '../../../core/record/index.ts'
import { canonicalHash } from '../../attempt/index.ts'
import { type ConcurrencyKey, findKeyHolder } from '../concurrency/key-rows.ts'
import { inTransaction } from '../database/database.ts'
import { findRunByKey, type NewRun, readStoredRun, type StoredRun } from '../tables/run-rows.ts'
import type { RunOptions } from './run-options.ts'

/** An existing run, and why the new one conflicts with it. */
export type ExistingRun = { readonly sameKey: StoredRun } | (Concurrency & { readonly holder: string })

/** Inserts the run, or returns the existing one that has the same key or owns its concurrency key. */
export function insertOrReturnExisting(
  database: DatabaseSyncInstance,
  dataDir: string,
  run: NewRun,
  concurrency: Concurrency | undefined,
  insert: (concurrencyKey: ConcurrencyKey | undefined) => void,
): ExistingRun | undefined {
  return inTransaction(database, () => {
    const runId = run.key === undefined ? undefined : findRunByKey(database, run.key)
    const sameKey = runId === undefined ? undefined : readStoredRun(database, runId)
    if (sameKey) return { sameKey }
    const { key, limit = 1, onConflict } = concurrency ?? {}
    const concurrencyKey = key === undefined ? undefined : { dataDir, runbook: run.plan.name, key, limit }
    const holder = concurrencyKey && onConflict !== 'wait' && findKeyHolder(database, concurrencyKey)
    if (concurrency && holder) return { ...concurrency, holder }
    insert(concurrencyKey)
    return undefined
  })
}

export function concurrencyOfRun({ id, plan, inputs, startedAtMs }: NewRun): Concurrency | undefined {
  return concurrencyOf(plan, inputs, { id, started_at: new Date(startedAtMs).toISOString() })
}

/**
 * The run to join in concurrencyKey of a new one, after a message to the user. Throws `ConcurrencyConflict` if the runbook says
 * `reject`.
 */
export function joinHolder(
  database: DatabaseSyncInstance,
  { holder: runId, key, onConflict }: Extract<ExistingRun, Concurrency>,
  { plan, inputs, say }: Pick<RunOptions, 'plan' | 'inputs' | 'say'>,
): string {
  if (onConflict === 'reject') throw concurrencyConflict(runId, plan.name, key)
  const running = readStoredRun(database, runId)
  const isOther = running !== undefined && canonicalHash(running.inputs) !== canonicalHash(inputs)
  const hint = isOther ? '; it has other inputs; yours are ignored' : ''
  say?.(`${joinText(runId, key)}${hint}`)
  return runId
}

/** Throws `InvalidInput` if the run of this key has another runbook or other inputs. */
export function refuseOtherRun(
  existing: StoredRun,
  { key, plan, inputs }: Pick<RunOptions, 'key' | 'plan' | 'inputs'>,
): void {
  const isOther = existing.plan.name !== plan.name
  if (!isOther && canonicalHash(existing.inputs) === canonicalHash(inputs)) return
  throw keyTaken(key, existing.id, isOther ? existing.plan.name : undefined)
}
