import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import {
  type Concurrency,
  concurrencyConflict,
  concurrencyOf,
  type PlaceInLine,
} from '../../../core/record/index.ts'
import { sql } from '../database/sql.ts'
import { isServed } from '../queue/serve-lock.ts'
import { isOwned } from '../run/ownership.ts'
import { readServing } from '../run/run-scope.ts'
import type { StoredRun } from '../tables/run-rows.ts'

/** A concurrency key of a runbook: at most `limit` runs own it at a time. */
export interface ConcurrencyKey extends Pick<Concurrency, 'key' | 'limit'> {
  readonly dataDir: string
  readonly runbook: string
}

/**
 * The run that a new one with this key conflicts with: one that a living process executes, or one that waits. A run
 * whose process died has lost its key. To be called in the transaction that starts the new run.
 */
export function findKeyHolder(
  database: DatabaseSyncInstance,
  concurrencyKey: ConcurrencyKey,
): string | undefined {
  const active = findRuns(database, concurrencyKey).filter((run) => isActive(concurrencyKey.dataDir, run))
  return active.length < concurrencyKey.limit ? undefined : active[0]?.runId
}

/** Whether living processes wait with runs of this key. */
export function isWaitedFor(
  database: DatabaseSyncInstance,
  concurrencyKey: Pick<ConcurrencyKey, 'dataDir' | 'runbook' | 'key'>,
): boolean {
  const { dataDir } = concurrencyKey
  return findRuns(database, concurrencyKey).some((run) => run.queue === 'here' && isActive(dataDir, run))
}

/** A run that has not ended, and has the key or waits for it. */
interface KeyRun {
  readonly runId: string
  readonly hasKey: boolean
  /** Who starts it when it gets the key; left out: it has begun. */
  readonly queue?: 'serve' | 'here'
  readonly limit: number
  readonly project: unknown
  readonly service: unknown
}

function findRuns(
  database: DatabaseSyncInstance,
  { runbook, key }: Pick<ConcurrencyKey, 'runbook' | 'key'>,
  resumed: readonly string[] = [],
): readonly KeyRun[] {
  const rows = sql(database).all`
    SELECT id, has_key, is_queued, concurrency_limit, project, service FROM runs
    WHERE runbook = ${runbook} AND concurrency_key = ${key}
    AND (ended_at IS NULL OR is_queued = 2 OR id IN (SELECT value FROM
      json_each(${JSON.stringify(resumed)})))
    ORDER BY has_key DESC, coalesce(queued_at, started_at), rowid`
  return rows.map(({ id, has_key, is_queued, concurrency_limit, project, service }) => ({
    runId: String(id),
    hasKey: has_key === 1,
    ...(is_queued === null ? {} : { queue: is_queued === 1 ? ('serve' as const) : ('here' as const) }),
    limit: Number(concurrency_limit),
    project,
    service,
  }))
}

function isActive(dataDir: string, { runId, queue, hasKey }: KeyRun): boolean {
  if (queue === 'serve') return true
  return (queue === 'here' || hasKey) && isOwned(dataDir, runId)
}

/** The runs that have a key or wait for it, in the order in which they get it. */
export interface KeyLine {
  /** What a run waits for; undefined: the key is free for it. */
  placeOf(runId: string): PlaceInLine | undefined
}

/**
 * The line for a key. `first` names runs that get the key before those that wait. A run that is queued for `serve` holds
 * up others only while a `serve` that would start it is there.
 */
export function readLine(
  database: DatabaseSyncInstance,
  { dataDir, runbook, key }: Pick<ConcurrencyKey, 'dataDir' | 'runbook' | 'key'>,
  first: readonly string[] = [],
): KeyLine {
  const serving = isServed(dataDir) ? readServing(database) : undefined
  const isServedHere = ({ project, service }: KeyRun): boolean =>
    serving !== undefined && project === serving.project && (service ?? undefined) === serving.service
  const runs = findRuns(database, { runbook, key }, first)
  const resumed = new Set(first)
  const isHolding = (run: KeyRun): boolean =>
    run.queue === undefined && (resumed.has(run.runId) || isActive(dataDir, run))
  const line = [
    ...runs.filter(isHolding),
    ...runs.filter((run) => run.queue !== undefined && (run.queue === 'serve' || isActive(dataDir, run))),
  ]
  const positions = new Map(line.map(({ runId }, position) => [runId, position]))
  const holdsUp = line.map((run) => run.queue !== 'serve' || isServedHere(run))
  const before = countBefore(holdsUp)
  return {
    placeOf(runId) {
      const position = positions.get(runId)
      const run = position === undefined ? undefined : line[position]
      if (position === undefined || !run || Number(before[position]) < run.limit) return undefined
      const ids = line.slice(0, position).filter((_, index) => holdsUp[index])
      return { key, limit: run.limit, before: ids.map((one) => one.runId) }
    },
  }
}

/** For each position, how many before it are true. */
function countBefore(list: readonly boolean[]): readonly number[] {
  let count = 0
  return list.map((is) => {
    const before = count
    if (is) count++
    return before
  })
}

/**
 * Assigns the key to a run, or returns its first holder where as many runs as may have it are executed by living
 * processes. A dead run loses the key, and needs it again to resume. To be called in a transaction, by the owner of the
 * run.
 */
export function takeKey(
  database: DatabaseSyncInstance,
  { dataDir, runbook, key, limit }: ConcurrencyKey,
  runId: string,
): string | undefined {
  const holders = findRuns(database, { runbook, key }).filter((run) => run.hasKey && run.runId !== runId)
  const living = holders.filter((run) => isOwned(dataDir, run.runId))
  const [first] = living
  if (first && living.length >= limit) return first.runId
  for (const dead of holders)
    if (!living.includes(dead)) sql(database).run`UPDATE runs SET has_key = 0 WHERE id = ${dead.runId}`
  sql(database).run`
    UPDATE runs SET concurrency_key = ${key}, concurrency_limit = ${limit}, has_key = 1
      WHERE id = ${runId}`
  return undefined
}

/** Removes the key of a run; to be called in a transaction. */
function forgetKey(database: DatabaseSyncInstance, runId: string): void {
  sql(database).run`UPDATE runs SET concurrency_key = NULL, has_key = 0 WHERE id = ${runId}`
}

/** Assigns its key to a run that is resumed or claimed. Throws `ConcurrencyConflict` if others hold it. */
export function requireKey(
  database: DatabaseSyncInstance,
  dataDir: string,
  { id, plan, inputs, startedAtMs }: Pick<StoredRun, 'id' | 'plan' | 'inputs' | 'startedAtMs'>,
): void {
  const facts = { id, started_at: new Date(startedAtMs).toISOString() }
  const concurrency = concurrencyOf(plan, inputs, facts)
  if (concurrency === undefined) {
    forgetKey(database, id)
    return
  }
  const { key, limit } = concurrency
  const holder = takeKey(database, { dataDir, runbook: plan.name, key, limit }, id)
  if (holder !== undefined) throw concurrencyConflict(holder, plan.name, key)
}
