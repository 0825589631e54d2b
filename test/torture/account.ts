import { operations } from '../../src/api/index.ts'
import type { AttemptRecord } from '../../src/core/record/index.ts'
import type { Journal } from './journal.ts'
import { placeOfPath } from './places.ts'
import type { SeenRequest } from './sandbox-process.ts'

/** What was seen between the end of one process and the start of the next. */
export interface Stop {
  /** The journal as the process left it; undefined where it had not begun the run. */
  readonly journal: Journal | undefined
  /** The number of the last request that had arrived by then. */
  readonly lastRequest: number
}

/** Everything that is known of a run once its round is over. */
export interface Evidence {
  readonly journal: Journal
  /** One for each process but the last. */
  readonly stops: readonly Stop[]
  readonly requests: readonly SeenRequest[]
  readonly applications: ReadonlyMap<string, string>
  /** The ids of the requests that changed something, as the sandbox's own log of changes has them. */
  readonly changes: readonly string[]
  /** The engine batches the intents of reads: a process that was killed may have made a read without a row. */
  readonly batchesReads: boolean
}

/** Which step of the runbook a request came from, as its path in the journal. */
export type PlaceOfRequest = (request: SeenRequest, applications: ReadonlyMap<string, string>) => string

/** What the journal and the sandbox say of one step. */
export interface Account {
  readonly place: string
  readonly attempts: readonly AttemptRecord[]
  readonly requests: readonly SeenRequest[]
  /** Attempts that were under way when a process ended. */
  readonly cutOff: readonly AttemptRecord[]
  /** How often a person said what became of a call of it. */
  readonly decided: number
}

/** Sets side by side what the journal and the sandbox say of each step. */
export function createAccounts(evidence: Evidence, placeOf: PlaceOfRequest): readonly Account[] {
  const { journal, stops, requests, applications } = evidence
  const seen = requests.map((request) => ({ place: placeOf(request, applications), request }))
  const known = journal.attempts
    .filter(({ action }) => action !== 'core/write')
    .map((attempt) => ({ place: placeOfPath(attempt.path), attempt }))
  const cut = cutOffAttempts(stops)
  return [...new Set([...seen, ...known].map(({ place }) => place))].map((place) => ({
    place,
    attempts: known.filter((one) => one.place === place).map(({ attempt }) => attempt),
    requests: seen.filter((one) => one.place === place).map(({ request }) => request),
    cutOff: cut.filter(({ path }) => placeOfPath(path) === place),
    decided: journal.decisions.filter(({ path }) => placeOfPath(path) === place).length,
  }))
}

/** The attempts that were under way when a process ended; one that no later process came to again counts once. */
export function cutOffAttempts(stops: readonly Stop[]): readonly AttemptRecord[] {
  const begun = stops.flatMap(({ journal }) => (journal?.attempts ?? []).filter(isBegun))
  const byKey = new Map(begun.map((row) => [`${row.path} ${row.attempt} ${row.started_at}`, row]))
  return [...byKey.values()]
}

export function isBegun({ status, is_superseded }: AttemptRecord): boolean {
  return status === 'begun' && !is_superseded
}

export function isCreate({ action }: AttemptRecord): boolean {
  return action === 'safari/a2a-agent/create' || action === 'rum/application/create'
}

/** The request changes nothing, so it does no harm to repeat it. */
export function isRead({ operation }: SeenRequest): boolean {
  return Object.values(operations).some(({ id, safety }) => id === operation && safety === 'read')
}

/** Sent, and failed without an id. A lost create is recorded when the run goes on, and sends nothing. */
export function isUnanswered({ status, error, request_id }: AttemptRecord): boolean {
  return (
    status === 'failed' &&
    request_id === undefined &&
    !error?.notSent &&
    !error?.isSettled &&
    error?.code !== 'OutcomeUnknown' &&
    error?.code !== 'Cancelled'
  )
}

/** How often the operation behind a step was carried out. */
export function countDone({ requests }: Account, operations: readonly string[]): number {
  return requests.filter(({ operation, executed }) => executed && operations.includes(operation ?? '')).length
}
