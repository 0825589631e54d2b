import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { Action } from '../../../actions/action.ts'
import { reopenFailed } from '../../../core/record/reopen-failed.ts'
import { canonicalHash } from '../../attempt/canonical-hash.ts'
import { setFilesAside } from '../artifacts.ts'
import { openReopenedRecord } from '../reopened-record.ts'
import type { StoredRun } from '../run-rows.ts'
import { withoutPlaces } from './call-names.ts'
import type { ChosenWork } from './choose-work.ts'
import { type ComparedSteps, compareSteps } from './compare-steps.ts'
import { readDone, readEndedWell, readSkipped } from './done-before.ts'
import { readWords, type WordBook } from './read-words.ts'
import { refuseUndecided } from './refuse-undecided.ts'
import type { ResumeComparison } from './resume-comparison.ts'
import { insertResume, replaceInputs, replacePlan } from './resume-rows.ts'
import { setSeedsAside } from './seed-rows.ts'

/** Who amends a run, and when. */
export interface Amending {
  readonly by: string
  readonly atMs: number
  readonly actions: readonly Action[]
}

/**
 * Sets all aside that was done, for the steps of the amended run to take over, and says what becomes of each. To be
 * called in a transaction, which is undone where somebody only wants to know.
 */
export function amendRun(
  database: DatabaseSyncInstance,
  run: StoredRun,
  work: ChosenWork,
  { by, atMs, actions }: Amending,
): ResumeComparison {
  const { id, plan: before, inputs: inputsBefore, resumes, status } = run
  const number = resumes + 1
  refuseUndecided(database, run)
  const ended = { skipped: readSkipped(database, id), endedWell: readEndedWell(database, id) }
  if (status === 'failed')
    reopenFailed(before, openReopenedRecord(database, { id, resume: number, nowMs: atMs }))
  setSeedsAside(database, id, number)
  setFilesAside(database, id)
  const words = readWords(work.words, work.plan)
  const done = readDone(database, id, ended)
  const compared = compareSteps({
    before,
    after: work.plan,
    inputsBefore,
    inputsAfter: work.inputs,
    words,
    done,
    actions,
  })
  database.prepare('DELETE FROM steps WHERE run_id = ?').run(id)
  forgetPlaces(database, { id, number }, words, compared)
  const isOtherPlan = work.plan.hash !== before.hash
  const isOtherInput = canonicalHash(work.inputs) !== canonicalHash(inputsBefore)
  insertResume(database, {
    runId: id,
    number,
    by,
    atMs,
    words: work.words,
    ...(isOtherPlan ? { planIdBefore: replacePlan(database, id, work.plan) } : {}),
    ...(isOtherInput ? { inputsBefore } : {}),
  })
  if (isOtherInput) replaceInputs(database, id, work.inputs)
  return {
    run_id: id,
    runbook: work.plan.name,
    plan_hash_before: before.hash,
    plan_hash: work.plan.hash,
    changed_inputs: changedInputs(inputsBefore, work.inputs),
    steps: compared.steps,
  }
}

function changedInputs(before: ChosenWork['inputs'], after: ChosenWork['inputs']): readonly string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names].filter((name) => {
    const [was, is] = [before[name], after[name]]
    return was === undefined || is === undefined || canonicalHash(was) !== canonicalHash(is)
  })
}

/**
 * When the run came to places that it comes to anew, and what people said there. The answer for one item must never
 * count for another one that has taken its place in the list.
 */
function forgetPlaces(
  database: DatabaseSyncInstance,
  { id, number }: { readonly id: string; readonly number: number },
  words: WordBook,
  { sameLoops, steps }: ComparedSteps,
): void {
  const known = new Set(steps.filter(({ fate }) => fate !== 'removed').map(({ path }) => path))
  const isForgotten = (path: string): boolean => {
    // That a place has its time anew is no place.
    if (path.includes(' ')) return false
    const word = words.of(path)
    const isAsked = word !== undefined && word !== 'keep'
    return isAsked || words.isSkipped(path) || !known.has(withoutPlaces(path)) || !isInPlace(path, sameLoops)
  }
  const removeMark = database.prepare('DELETE FROM marks WHERE run_id = ? AND path = ?')
  const closeQuestion = database.prepare(
    'UPDATE questions SET superseded = ? WHERE run_id = ? AND path = ? AND superseded = 0',
  )
  const rows = database
    .prepare('SELECT path FROM marks WHERE run_id = ?1 UNION SELECT path FROM questions WHERE run_id = ?1')
    .all(id)
  for (const path of rows.map((row) => String(row['path'])).filter(isForgotten)) {
    removeMark.run(id, path)
    closeQuestion.run(number, id, path)
  }
}

/** Every loop around the path has the items it had. */
function isInPlace(path: string, sameLoops: ReadonlySet<string>): boolean {
  const ends = [...path.matchAll(/\[\d+\]/g)].map(({ index }) => index)
  return ends.every((end) => sameLoops.has(withoutPlaces(path.slice(0, end))))
}
