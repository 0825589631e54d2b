import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { Plan } from '../../core/plan.ts'
import { isInDoubt } from '../../core/record/in-doubt.ts'
import { createPlanIndex } from '../../core/record/plan-index.ts'
import type { ErrorData } from '../../core/run-error.ts'
import type { UndecidedCall } from '../engine.ts'

/**
 * The writes of a run that nobody has settled, in the order of their first attempts. `all`: also creates whose doubt
 * a `catch` has dealt with, so that the run goes on without a decision, and those that whoever cancelled it has left so.
 */
export function findUndecided(
  database: DatabaseSyncInstance,
  { id, plan }: { readonly id: string; readonly plan: Plan },
  all?: 'all',
): readonly UndecidedCall[] {
  const index = createPlanIndex(plan)
  const rows = database
    .prepare(
      `SELECT path, attempt, action, ended_at, error FROM attempts
       WHERE run_id = ? AND superseded = 0 AND (ended_at IS NULL OR error IS NOT NULL) ORDER BY id`,
    )
    .all(id)
  const isSuccess = database.prepare(
    `SELECT 1 FROM attempts
     WHERE run_id = ? AND path = ? AND attempt > ? AND superseded = 0 AND ended_at IS NOT NULL AND error IS NULL`,
  )
  const isUnknown = unknownSteps(database, id)
  const found = new Map<string, Failed[]>()
  for (const row of rows) {
    const path = String(row['path'])
    const error = row['error'] === null ? undefined : (JSON.parse(String(row['error'])) as ErrorData)
    const failed: Failed = {
      action: String(row['action']),
      attempt: Number(row['attempt']),
      ...(error ? { error } : {}),
    }
    found.set(path, [...(found.get(path) ?? []), failed])
  }
  return [...found].flatMap(([path, attempts]) => {
    const owner = index.ownerOf(path)
    const last = attempts.at(-1)
    if (!owner || !last || owner.step.kind !== 'uses') return []
    const isBegun = last.error === undefined
    const isInUnknown = isUnknown(owner.path)
    const { safety } = owner.step.uses.action
    if (!isBegun && !isInUnknown && !(all && safety === 'create')) return []
    // Arguments can say how safe a call is: one that ended as unknown was no read.
    if (all && safety === 'create' && isLeftInDoubt(last.error))
      return [{ path, step: owner.step.id, ...last }]
    const errors = attempts.map(({ error }) => error)
    const isDoubtful = isInDoubt(safety === 'read' && !isBegun ? 'create' : safety, errors, isInUnknown)
    if (!isDoubtful || isSuccess.get(id, path, last.attempt) !== undefined) return []
    return [{ path, step: owner.step.id, ...last }]
  })
}

type Failed = Pick<UndecidedCall, 'action' | 'attempt' | 'error'>

/** Whoever cancelled the run has left it so: nobody has said what became of it. */
export function isLeftInDoubt(error: ErrorData | undefined): boolean {
  return error?.code === 'Cancelled' && error.isSettled === true
}

function unknownSteps(database: DatabaseSyncInstance, runId: string): (path: string) => boolean {
  const paths = new Set(
    database
      .prepare("SELECT path FROM steps WHERE run_id = ? AND status = 'unknown'")
      .all(runId)
      .map((row) => String(row['path'])),
  )
  return (path) => paths.has(path)
}
