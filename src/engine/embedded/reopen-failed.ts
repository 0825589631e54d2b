import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { Plan, StepPlan } from '../../core/plan.ts'
import { createPlanIndex, type PlanIndex } from '../../core/record/plan-index.ts'
import { type ErrorData, isUnclear } from '../../core/run-error.ts'
import { catchPath } from '../../core/steps/catch-path.ts'
import { placeOfCall } from '../attempt/place-of-call.ts'
import { limitMark } from './marks.ts'

/** A run that failed, and its how manieth resume is about to begin when. */
export interface ReopenedRun {
  readonly id: string
  readonly plan: Plan
  readonly resume: number
  readonly nowMs: number
}

/**
 * Makes room for another try of what made a run fail: the attempts of the steps that failed count no longer and are kept
 * for the record only. To be called in a transaction. `resume` is the number of the resume that does so.
 *
 * A step that sends nothing twice that matters starts afresh. Of a `create` only the last attempts that were certainly
 * not carried out are taken back: what it has done stays done. What is a consequence of the failure, `catch` and
 * `finally`, happens anew at the next ending. The run, and every step that is tried again, has its whole time for it.
 */
export function reopenFailed(database: DatabaseSyncInstance, run: ReopenedRun): void {
  const index = createPlanIndex(run.plan)
  const rows = openRows(database, run)
  const isFailedItem = readFailedItems(database, run.id)
  const paths = failedSteps(database, run.id, isFailedItem)
  for (const path of paths) {
    const owner = index.ownerOf(path)
    if (owner?.path !== path) continue
    const { step } = owner
    const starts = step.forEach ? isFailedItem.under(path) : [path]
    for (const id of idsIn(step.catch)) {
      // What it has made is there: only clean-up begins wholly anew.
      rows.remove(`${catchPath(step, path)}/${id}`, index, { keepsCreates: true })
    }
    const hasLimit = step.timeoutMs !== undefined || index.childOf(step)?.timeoutMs !== undefined
    for (const start of starts) {
      reopenStart(start, step, index, rows)
      if (hasLimit) rows.giveTime(start)
    }
    rows.resetStep(path)
  }
  if (run.plan.timeoutMs !== undefined) rows.giveTime('')
  for (const id of idsIn(run.plan.catch)) rows.remove(id, index, { keepsCreates: true })
  for (const id of idsOf(run.plan.finally)) rows.remove(id, index)
}

function reopenStart(start: string, step: StepPlan, index: PlanIndex, rows: Rows): void {
  const child = index.childOf(step)
  const cleanUp = step.kind === 'block' ? idsOf(step.finally) : []
  for (const id of idsIn(child?.catch)) rows.remove(`${start}/${id}`, index, { keepsCreates: true })
  for (const id of [...cleanUp, ...idsOf(child?.finally)]) rows.remove(`${start}/${id}`, index)
  rows.forgetPlace(start)
  if (step.kind !== 'uses' || child) return
  if (step.uses.action.safety === 'create') rows.takeBackRefused(start)
  else rows.forgetCalls(start)
}

function idsIn(entries: Plan['catch']): readonly string[] {
  return entries?.flatMap(({ steps }) => idsOf(steps)) ?? []
}

function idsOf(steps: readonly StepPlan[] | undefined): readonly string[] {
  return steps?.map(({ id }) => id) ?? []
}

/** The steps that failed, or were cancelled, and made everything around them fail. */
function failedSteps(
  database: DatabaseSyncInstance,
  runId: string,
  isFailedItem: FailedItems,
): readonly string[] {
  const failed = new Set(
    database
      .prepare(
        `SELECT path FROM steps WHERE run_id = ? AND status IN ('failed', 'cancelled')
           AND coalesce(details ->> '$.is_warning', 0) = 0`,
      )
      .all(runId)
      .map((row) => String(row['path'])),
  )
  const counts = (path: string): boolean => {
    if (!failed.has(path)) return false
    const around = path.slice(0, Math.max(path.lastIndexOf('/'), 0))
    if (around === '') return true
    const isOfItem = around.endsWith(']')
    if (isOfItem && !isFailedItem.has(around)) return false
    return counts(isOfItem ? around.slice(0, around.lastIndexOf('[')) : around)
  }
  return [...failed].filter(counts)
}

interface FailedItems {
  has(path: string): boolean
  /** Those of one loop. */
  under(path: string): readonly string[]
}

/** The items of loops that did not end well, as the log has them. */
function readFailedItems(database: DatabaseSyncInstance, runId: string): FailedItems {
  const statuses = new Map<string, string>()
  const rows = database
    .prepare(
      `SELECT path, data ->> '$.status' AS status FROM events
       WHERE run_id = ? AND type = 'item_finished' ORDER BY seq`,
    )
    .iterate(runId) as IterableIterator<Readonly<Record<string, unknown>>>
  for (const { path, status } of rows) {
    if (status === 'succeeded') statuses.delete(String(path))
    else statuses.set(String(path), String(status))
  }
  return {
    has: (path) => statuses.has(path),
    under: (path) => [...statuses.keys()].filter((item) => item.replace(/\[\d+\]$/, '') === path),
  }
}

interface Rows {
  /** What the step at a place has called itself; what its catch has done is not its own. */
  forgetCalls(path: string): void
  /**
   * All that was done at a place and inside it, but for a create of which nobody knows whether it was carried out: of a
   * step that begins anew only if the run comes there again.
   */
  remove(path: string, index: PlanIndex, how?: { readonly keepsCreates?: boolean }): void
  /** When the run came to a place, and what was asked there. */
  forgetPlace(path: string): void
  /** From now on the time of what is tried again counts, and not from before. */
  giveTime(path: string): void
  /** The last attempts of a create, as far as they were certainly not carried out. */
  takeBackRefused(path: string): void
  resetStep(path: string): void
}

function openRows(database: DatabaseSyncInstance, { id, resume, nowMs }: ReopenedRun): Rows {
  // A path and everything under it; "0" and "\" are what follows "/" and "[".
  const within =
    "run_id = ? AND (path = ? OR (path > ? || '/' AND path < ? || '0') OR (path > ? || '[' AND path < ? || '\\'))"
  const inside = (path: string): readonly string[] => [id, path, path, path, path, path]
  const attempts = database.prepare(
    `SELECT id, path, attempt, action, ended_at, error FROM attempts WHERE ${within} AND superseded = 0
     ORDER BY path, attempt DESC`,
  )
  const supersede = database.prepare('UPDATE attempts SET superseded = ? WHERE id = ?')
  const removeMarks = database.prepare(`DELETE FROM marks WHERE ${within}`)
  const removeSteps = database.prepare(`DELETE FROM steps WHERE ${within}`)
  const closeQuestions = database.prepare(
    `UPDATE questions SET superseded = ? WHERE ${within} AND superseded = 0`,
  )
  const removeMark = database.prepare('DELETE FROM marks WHERE run_id = ? AND path = ?')
  const mark = database.prepare('INSERT OR REPLACE INTO marks (run_id, path, reached_at) VALUES (?, ?, ?)')
  const closeQuestion = database.prepare(
    'UPDATE questions SET superseded = ? WHERE run_id = ? AND path = ? AND superseded = 0',
  )
  const reset = database.prepare(
    `UPDATE steps SET status = 'pending', attempts = 0, error = NULL, details = NULL, started_at = NULL,
       ended_at = NULL WHERE run_id = ? AND path = ?`,
  )
  const callsOf = (path: string): readonly Readonly<Record<string, unknown>>[] =>
    attempts.all(...inside(path)).filter((row) => placeOfCall(String(row['path'])) === path)
  return {
    forgetCalls(path) {
      for (const { id: attempt } of callsOf(path)) supersede.run(resume, attempt)
    },
    remove(path, index, { keepsCreates = false } = {}) {
      for (const row of attempts.all(...inside(path))) {
        const step = index.ownerOf(String(row['path']))?.step
        const isCreate = step?.kind === 'uses' && step.uses.action.safety === 'create'
        const isKept = isCreate && (isDoubtful(row) || (keepsCreates && row['error'] === null))
        if (!isKept) supersede.run(resume, row['id'])
      }
      removeMarks.run(...inside(path))
      closeQuestions.run(resume, ...inside(path))
      removeSteps.run(...inside(path))
    },
    forgetPlace(path) {
      removeMark.run(id, path)
      closeQuestion.run(resume, id, path)
    },
    giveTime: (path) => mark.run(id, limitMark(path), nowMs),
    takeBackRefused(path) {
      const rows = callsOf(path)
      // Later rounds of a batch group its items anew: what one of them has done cannot be told from its path.
      if (rows.some((row) => Number(row['attempt']) > 1 && row['error'] === null)) return
      const settled = new Set<string>()
      for (const row of rows) {
        const at = String(row['path'])
        // To write what was answered into a file creates nothing.
        const isFile = row['action'] === 'core/write'
        if (!isFile && (row['error'] === null || isDoubtful(row))) settled.add(at)
        if (!settled.has(at)) supersede.run(resume, row['id'])
      }
    },
    resetStep: (path) => reset.run(id, path),
  }
}

/** Nobody can say whether it was carried out. */
function isDoubtful({ ended_at, error }: Readonly<Record<string, unknown>>): boolean {
  if (ended_at === null) return true
  return typeof error === 'string' && isUnclear(JSON.parse(error) as ErrorData)
}
