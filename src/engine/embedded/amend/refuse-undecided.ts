import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import { createPlanIndex } from '../../../core/record/plan-index.ts'
import { type ErrorData, isUnclear, RunbookError } from '../../../core/run-error.ts'
import type { StoredRun } from '../run-rows.ts'

/** So many are named. */
const named = 5

/** Throws `OutcomeUnknown` where nobody knows of a create whether it was carried out: that is settled first. */
export function refuseUndecided(
  database: DatabaseSyncInstance,
  { id, plan }: Pick<StoredRun, 'id' | 'plan'>,
): void {
  const index = createPlanIndex(plan)
  const rows = database
    .prepare(
      `SELECT path, ended_at, error FROM attempts
       WHERE run_id = ? AND superseded = 0 AND (ended_at IS NULL OR error IS NOT NULL) ORDER BY id`,
    )
    .all(id)
  const paths = rows.flatMap(({ path, ended_at, error }) => {
    const step = index.ownerOf(String(path))?.step
    const isCreate = step?.kind === 'uses' && step.uses.action.safety === 'create'
    return isCreate && (ended_at === null || isOpen(String(error))) ? [String(path)] : []
  })
  if (paths.length === 0) return
  const list = paths.slice(0, named).join(', ') + (paths.length > named ? ' …' : '')
  const message = `${id} needs a decision first: nobody knows whether ${list} was carried out; nothing was changed`
  throw new RunbookError('OutcomeUnknown', message, { notSent: true })
}

function isOpen(error: string): boolean {
  const data = JSON.parse(error) as ErrorData
  // It was carried out, and answered more than can be kept.
  return isUnclear(data) && data.code !== 'OutputTooLarge'
}
