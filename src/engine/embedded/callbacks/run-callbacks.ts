import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import { type CallbackAddresses, callbackNames } from '../../../core/hooks/index.ts'
import type { Plan } from '../../../core/plan/index.ts'
import { callbackAddresses } from '../../record/index.ts'
import type { CommitQueue } from '../database/commit-queue.ts'
import { sql } from '../database/sql.ts'
import { openCallbackKey } from './callback-key.ts'

/** The run whose addresses are made, and the public address of `serve` here. */
export interface RunCallbacksOptions {
  readonly database: DatabaseSyncInstance
  readonly queue: CommitQueue
  readonly dataDir: string
  readonly runId: string
  readonly plan: Plan
  readonly publicUrl?: string
}

/**
 * The addresses of the callbacks of a run. They stay the same when the configuration changes, since calls were made with
 * them: the run records the public address. Undefined: it has no callbacks.
 */
export function openRunCallbacks(options: RunCallbacksOptions): CallbackAddresses | undefined {
  const { database, queue, dataDir, runId, plan, publicUrl: here } = options
  const names = callbackNames(plan)
  if (names.length === 0) return undefined
  const publicUrl = readPublicUrl(database, runId) ?? here
  if (publicUrl === undefined) return undefined
  // Committed with the intent of the first call.
  queue.batch(
    () =>
      sql(database).run`
        UPDATE runs SET public_url = ${publicUrl} WHERE id = ${runId} AND public_url IS NULL`,
  )
  return callbackAddresses(runId, names, { publicUrl, key: openCallbackKey(dataDir) })
}

/** The public address that the addresses of a run begin with. Undefined: it has made none. */
export function readPublicUrl(database: DatabaseSyncInstance, runId: string): string | undefined {
  const row = sql(database).get`SELECT public_url FROM runs WHERE id = ${runId}`
  const recorded = row?.['public_url']
  return typeof recorded === 'string' ? recorded : undefined
}
