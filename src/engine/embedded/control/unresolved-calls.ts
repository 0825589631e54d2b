import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { Identity } from '../../../core/events.ts'
import { grouped } from '../../../core/group.ts'
import type { Plan } from '../../../core/plan/index.ts'
import {
  createPlanIndex,
  hasUnknownOutcome,
  isLeftUnresolved,
  leftUnresolved,
} from '../../../core/record/index.ts'
import type { ErrorData } from '../../../core/run-error.ts'
import { systemClock } from '../../attempt/index.ts'
import type { UnresolvedCall } from '../../index.ts'
import { sql } from '../database/sql.ts'
import { endAttempt, recordDecision } from '../tables/decision-rows.ts'

/**
 * The writes of a run with an unknown outcome, in the order of their first attempts. `all` adds creates that a `catch`
 * has handled, so that the run continues without a decision. It also adds those that a cancellation has left
 * unresolved.
 */
export function findUnresolvedCalls(
  database: DatabaseSyncInstance,
  { id, plan }: { readonly id: string; readonly plan: Plan },
  all?: 'all',
): readonly UnresolvedCall[] {
  const index = createPlanIndex(plan)
  const rows = sql(database).all`
    SELECT path, attempt, action, ended_at, error FROM attempts
    WHERE run_id = ${id} AND superseded = 0 AND (ended_at IS NULL OR error IS NOT NULL) ORDER BY id`
  const isUnknown = unknownSteps(database, id)
  const failed = rows.map((row): readonly [string, Failed] => {
    const error = row['error'] === null ? undefined : (JSON.parse(String(row['error'])) as ErrorData)
    const facts = { action: String(row['action']), attempt: Number(row['attempt']) }
    return [String(row['path']), { ...facts, ...(error ? { error } : {}) }]
  })
  return [...grouped(failed)].flatMap(([path, attempts]) => {
    const owner = index.ownerOf(path)
    const last = attempts.at(-1)
    if (!owner || !last || owner.step.kind !== 'uses') return []
    const isBegun = last.error === undefined
    const isInUnknown = isUnknown(owner.path)
    const { safety } = owner.step.uses.action
    if (!isBegun && !isInUnknown && !(all && safety === 'create')) return []
    // Arguments can decide how safe a call is. A call that ended as unknown was no read.
    if (all && safety === 'create' && isLeftUnresolved(last.error))
      return [{ path, step: owner.step.id, ...last }]
    const errors = attempts.map(({ error }) => error)
    const isUnresolved = hasUnknownOutcome(
      safety === 'read' && !isBegun ? 'create' : safety,
      errors,
      isInUnknown,
    )
    const success = sql(database).get`
      SELECT 1 FROM attempts WHERE run_id = ${id} AND path = ${path} AND attempt > ${last.attempt}
      AND superseded = 0 AND ended_at IS NOT NULL AND error IS NULL`
    if (!isUnresolved || success !== undefined) return []
    return [{ path, step: owner.step.id, ...last }]
  })
}

type Failed = Pick<UnresolvedCall, 'action' | 'attempt' | 'error'>

function unknownSteps(database: DatabaseSyncInstance, runId: string): (path: string) => boolean {
  const rows = sql(database).all`SELECT path FROM steps WHERE run_id = ${runId} AND status = 'unknown'`
  const paths = new Set(rows.map((row) => String(row['path'])))
  return (path) => paths.has(path)
}

/** Records that the unknown outcomes of a run stay unresolved. To be called in the transaction that cancels the run. */
export function leaveUnresolved(
  database: DatabaseSyncInstance,
  run: Parameters<typeof findUnresolvedCalls>[1],
  by: Identity,
): void {
  const now = systemClock.now()
  for (const call of findUnresolvedCalls(database, run)) {
    const { path, attempt, error } = call
    recordDecision(database, { runId: run.id, path, decision: 'cancelled', by, now, error })
    endAttempt(database, { runId: run.id, path, attempt, now, error: leftUnresolved(call) })
  }
}
