import type { AttemptRecord } from '../../src/engine/embedded/index.ts'
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

/** Nothing is lost: what the journal calls done was done, by the request that it names or by the word of a person. */
export function matchIds(
  { place, attempts, requests, decided }: Account,
  changes: readonly string[],
): string[] {
  const byId = new Map(requests.map((request) => [request.request_id, request]))
  return attempts.flatMap(({ path, attempt, action, status, request_id }) => {
    const name = `attempt ${attempt} of ${path}`
    const request = request_id === undefined ? undefined : byId.get(request_id)
    if (status === 'succeeded' && request_id === undefined && decided > 0) return []
    if (status === 'succeeded' && !request) return [`${name} is done, and the sandbox knows nothing of it`]
    if (request_id !== undefined && !request) return [`${name} names a request that ${place} never made`]
    if (status !== 'succeeded' || !request) return []
    const isLogged = !changing.has(action) || changes.includes(request.request_id)
    return request.executed && isLogged ? [] : [`${name} is done, and the sandbox has not done it`]
  })
}

const changing: ReadonlySet<string> = new Set([
  'safari/a2a-agent/create',
  'rum/application/create',
  'rum/issue/preset-severity/rules/disable',
  'incident/post-mortem/status/reset',
])

/** Nothing is sent twice: each request is that of an attempt, or of one that was under way when a process ended. */
export function countRequests({ place, attempts, requests, cutOff, decided }: Account): string[] {
  const named = new Set(attempts.flatMap(({ request_id }) => request_id ?? []))
  const nameless = requests.filter(({ request_id }) => !named.has(request_id)).length
  const unanswered = attempts.filter(isUnanswered).length
  // Given up on its way, or settled by a person: sent or not, it has no answer.
  const open = attempts.filter(isGivenUp).length + cutOff.length + decided
  const says = `${place}: ${nameless} requests without an answer in the journal, where ${unanswered} attempts had none and ${open} may have been sent`
  return nameless < unanswered || nameless > unanswered + open ? [says] : []
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

function isGivenUp({ status, error }: AttemptRecord): boolean {
  return status === 'failed' && error?.code === 'Cancelled' && !error.notSent && !error.isSettled
}

/** How often the operation behind a step was carried out. */
export function countDone({ requests }: Account, operations: readonly string[]): number {
  return requests.filter(({ operation, executed }) => executed && operations.includes(operation ?? '')).length
}

/** A create is carried out as often as it may be: once, unless people wanted more. */
export function checkCreates(account: Account, most = 1): string[] {
  const made = countDone(account, ['E1', 'E2'])
  return made > most ? [`${account.place}: created ${made} times, not ${most}`] : []
}

/** Fields that the service does not know are mistakes of ours. */
export function checkFields(requests: readonly SeenRequest[]): string[] {
  return requests
    .filter((request) => request.unknown_fields.length > 0)
    .map((request) => `request ${request.number} has fields that the service does not know`)
}
