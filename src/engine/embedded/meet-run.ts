import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import { type Concurrency, concurrencyConflict, concurrencyOf } from '../../core/concurrency-key.ts'
import { keyTaken } from '../../core/record/key-taken.ts'
import { canonicalHash } from '../attempt/canonical-hash.ts'
import { type ConcurrencyPlace, findKeyHolder, type KeyHolder } from './concurrency/key-rows.ts'
import { inTransaction } from './in-transaction.ts'
import type { RunOptions } from './run-options.ts'
import { findRunByKey, type NewRun, readStoredRun, type StoredRun } from './run-rows.ts'

/** A run that is there already, and why the new one meets it. */
export type Met = { readonly sameKey: StoredRun } | (Concurrency & { readonly holder: KeyHolder })

/** Lets the run be recorded, or answers with the one that has its key or goes on in its place. */
export function insertOrMeet(
  database: DatabaseSyncInstance,
  dataDir: string,
  run: NewRun,
  concurrency: Concurrency | undefined,
  insert: (place: ConcurrencyPlace | undefined) => void,
): Met | undefined {
  return inTransaction(database, () => {
    const runId = run.key === undefined ? undefined : findRunByKey(database, run.key)
    const sameKey = runId === undefined ? undefined : readStoredRun(database, runId)
    if (sameKey) return { sameKey }
    const place = concurrency && { dataDir, runbook: run.plan.name, key: concurrency.key }
    const holder = place && findKeyHolder(database, place)
    if (holder) return { ...concurrency, holder }
    insert(place)
    return undefined
  })
}

export function concurrencyOfRun({ id, plan, inputs, startedAtMs }: NewRun): Concurrency | undefined {
  return concurrencyOf(plan, inputs, { id, started_at: new Date(startedAtMs).toISOString() })
}

/** The run that is joined in the place of a new one, which is said. Throws `ConcurrencyConflict` where the runbook says `reject`. */
export function joinHolder(
  database: DatabaseSyncInstance,
  { holder, key, onConflict }: Extract<Met, Concurrency>,
  { plan, inputs, say }: Pick<RunOptions, 'plan' | 'inputs' | 'say'>,
): string {
  const { runId } = holder
  if (onConflict === 'reject') throw concurrencyConflict(runId, plan.name, key)
  const going = readStoredRun(database, runId)
  const isOther = going !== undefined && canonicalHash(going.inputs) !== canonicalHash(inputs)
  const hint = isOther ? '; it has other inputs: those given now do not count' : ''
  say?.(`joins ${runId}, which goes on for the same concurrency key ${JSON.stringify(key)}${hint}`)
  return runId
}

/** Joining a run that does something else would be an answer to another question. */
export function refuseOtherRun(
  existing: StoredRun,
  { key, plan, inputs }: Pick<RunOptions, 'key' | 'plan' | 'inputs'>,
): void {
  const isOther = existing.plan.name !== plan.name
  if (!isOther && canonicalHash(existing.inputs) === canonicalHash(inputs)) return
  throw keyTaken(key, existing.id, isOther ? existing.plan.name : undefined)
}
