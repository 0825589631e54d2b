import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import { placeOfCall } from '../../../core/record/place-of-call.ts'
import { withoutPlaces } from './call-names.ts'
import { readRefused, readSeeds } from './seed-rows.ts'

/** What the record says about steps, by their paths without places in loops. */
export interface DoneBefore {
  /** How many calls with this action it has carried out that nothing has taken over yet. */
  calls(path: string, action: string): number
  /** None of its calls failed and is tried again. */
  isWhole(path: string): boolean
  /** Somebody has answered it, or the run has come to it to wait. */
  isReached(path: string): boolean
  wasSkipped(path: string): boolean
  /** As far as the record of its steps goes. */
  hasEndedWell(path: string): boolean
}

/** The paths of the steps outside of loops that were skipped, as long as the record of them is there. */
export function readSkipped(database: DatabaseSyncInstance, runId: string): ReadonlySet<string> {
  const rows = database
    .prepare("SELECT path FROM steps WHERE run_id = ? AND status = 'skipped' AND instr(path, '[') = 0")
    .all(runId)
  return new Set(rows.map((row) => String(row['path'])))
}

/** The paths, without places in loops, of the steps that ended well, as long as the record of them is there. */
export function readEndedWell(database: DatabaseSyncInstance, runId: string): ReadonlySet<string> {
  const rows = database.prepare("SELECT path FROM steps WHERE run_id = ? AND status = 'succeeded'").all(runId)
  return new Set(rows.map((row) => withoutPlaces(String(row['path']))))
}

/** What the record says that was done, once all of it has been set aside. */
export function readDone(
  database: DatabaseSyncInstance,
  runId: string,
  { skipped, endedWell }: { readonly skipped: ReadonlySet<string>; readonly endedWell: ReadonlySet<string> },
): DoneBefore {
  const seeds = [...readSeeds(database, runId), ...readRefused(database, runId)]
  const counts = new Map<string, number>()
  const done = new Set(seeds.flatMap(({ outcome, path }) => (outcome === 'done' ? [path] : [])))
  const broken = new Set<string>()
  for (const { path, action, outcome } of seeds) {
    const step = withoutPlaces(placeOfCall(path))
    const key = `${step} ${action}`
    // What may have been done needs a word as much as what was.
    if (outcome !== 'undone') counts.set(key, (counts.get(key) ?? 0) + 1)
    if (outcome !== 'done' && !done.has(path)) broken.add(step)
  }
  const reached = readReached(database, runId)
  return {
    calls: (path, action) => counts.get(`${path} ${action}`) ?? 0,
    isWhole: (path) => !broken.has(path),
    isReached: (path) => reached.has(path),
    wasSkipped: (path) => skipped.has(path),
    hasEndedWell: (path) => endedWell.has(path),
  }
}

/** Where somebody has answered, or the run has waited; not where it still waits for an answer. */
function readReached(database: DatabaseSyncInstance, runId: string): ReadonlySet<string> {
  const rows = database
    .prepare(
      `SELECT path FROM marks WHERE run_id = ?1 AND path NOT IN (
         SELECT path FROM questions WHERE run_id = ?1 AND superseded = 0 AND status IN ('open', 'withdrawn'))`,
    )
    .all(runId)
  return new Set(rows.map((row) => withoutPlaces(String(row['path']))))
}
