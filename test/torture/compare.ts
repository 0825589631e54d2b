import type { AttemptRecord } from '../../src/engine/embedded/index.ts'
import type { Journal } from './journal.ts'
import { finalPlaces, placeOfPath, placeOfRequest } from './places.ts'
import type { SeenRequest } from './sandbox-process.ts'

/** What was seen between the end of one process and the start of the next. */
export interface Stop {
  /** The journal as the process left it; undefined where it had not begun the run. */
  readonly journal: Journal | undefined
  /** The number of the last request that had arrived by then. */
  readonly lastRequest: number
}

/** Everything that is known of a round once it is over. */
export interface Evidence {
  readonly journal: Journal
  /** One for each process but the last. */
  readonly stops: readonly Stop[]
  readonly requests: readonly SeenRequest[]
  readonly applications: ReadonlyMap<string, string>
  /** The ids of the requests that changed something, as the sandbox's own log of changes has them. */
  readonly changes: readonly string[]
}

/** What the journal and the sandbox say of one step. */
interface Account {
  readonly place: string
  readonly attempts: readonly AttemptRecord[]
  readonly requests: readonly SeenRequest[]
  /** How many attempts were under way when a process ended. */
  readonly cutOff: number
}

/** Everything in which the journal and the record of the sandbox do not agree, or do not keep what is promised. */
export function compare(evidence: Evidence): readonly string[] {
  const accounts = createAccounts(evidence)
  return [
    ...evidence.requests
      .filter((request) => request.unknown_fields.length > 0)
      .map((request) => `request ${request.number} has fields that the service does not know`),
    ...accounts.flatMap((account) => [
      ...matchIds(account, evidence),
      ...countRequests(account),
      ...checkCreates(account),
      ...checkRepeats(account, evidence),
    ]),
    ...checkStatus(evidence, accounts),
  ]
}

function createAccounts({ journal, stops, requests, applications }: Evidence): readonly Account[] {
  const seen = requests.map((request) => ({ place: placeOfRequest(request, applications), request }))
  const known = journal.attempts
    .filter(({ action }) => action !== 'core/write')
    .map((attempt) => ({ place: placeOfPath(attempt.path), attempt }))
  const cut = cutOffAttempts(stops)
  return [...new Set([...seen, ...known].map(({ place }) => place))].map((place) => ({
    place,
    attempts: known.filter((one) => one.place === place).map(({ attempt }) => attempt),
    requests: seen.filter((one) => one.place === place).map(({ request }) => request),
    cutOff: cut.filter(({ path }) => placeOfPath(path) === place).length,
  }))
}

/** The attempts that were under way when a process ended; one that no later process came to again counts once. */
function cutOffAttempts(stops: readonly Stop[]): readonly AttemptRecord[] {
  const begun = stops.flatMap(({ journal }) => (journal?.attempts ?? []).filter(isBegun))
  const byKey = new Map(begun.map((row) => [`${row.path} ${row.attempt} ${row.started_at}`, row]))
  return [...byKey.values()]
}

function isBegun({ status, is_superseded }: AttemptRecord): boolean {
  return status === 'begun' && !is_superseded
}

/** Nothing is lost: what the journal calls done was done, by the request that it names. */
function matchIds({ place, attempts, requests }: Account, { changes }: Evidence): readonly string[] {
  const byId = new Map(requests.map((request) => [request.request_id, request]))
  return attempts.flatMap(({ path, attempt, action, status, request_id }) => {
    const name = `attempt ${attempt} of ${path}`
    const request = request_id === undefined ? undefined : byId.get(request_id)
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
function countRequests({ place, attempts, requests, cutOff }: Account): readonly string[] {
  const named = new Set(attempts.flatMap(({ request_id }) => request_id ?? []))
  const nameless = requests.filter(({ request_id }) => !named.has(request_id)).length
  const unanswered = attempts.filter(isUnanswered).length
  const says = `${place}: ${nameless} requests without an answer in the journal, where ${unanswered} attempts had none and ${cutOff} were cut off`
  return nameless < unanswered || nameless > unanswered + cutOff ? [says] : []
}

/** Sent, and failed without an id. A lost create is recorded when the run goes on, and sends nothing. */
function isUnanswered({ status, error, request_id }: AttemptRecord): boolean {
  return (
    status === 'failed' && request_id === undefined && !error?.notSent && error?.code !== 'OutcomeUnknown'
  )
}

/** A create is carried out once at most. */
function checkCreates({ place, requests }: Account): readonly string[] {
  const made = requests.filter(
    ({ operation, executed }) => executed && (operation === 'E1' || operation === 'E2'),
  )
  return made.length > 1 ? [`${place}: created ${made.length} times`] : []
}

/** Steps that make more than one call: one that has ended well does not say that all have. */
const severalCalls: ReadonlySet<string> = new Set(['checks', 'flaky'])

/** What had been done when a process ended is not sent by a later one. */
function checkRepeats({ place, requests }: Account, { stops }: Evidence): readonly string[] {
  return stops.flatMap(({ journal, lastRequest }, index) => {
    const attempts = (journal?.attempts ?? []).filter(({ path }) => placeOfPath(path) === place)
    const isOver = journal?.run.steps.some(({ path, status }) => path === place && status === 'succeeded')
    const isAnswered = attempts.some(({ status }) => status === 'succeeded' && !severalCalls.has(place))
    const isDone = (isOver || isAnswered) && !attempts.some(isBegun)
    const later = requests.filter(({ number }) => number > lastRequest)
    return isDone && later.length > 0
      ? [`${place}: was done before stop ${index + 1}, and was sent again after it`]
      : []
  })
}

/** A run is `unknown` if, and only if, the answer of a create is not known; else everything goes well in the end. */
function checkStatus({ journal, stops }: Evidence, accounts: readonly Account[]): readonly string[] {
  const { run } = journal
  const cutOff = stops.flatMap((stop) =>
    (stop.journal?.attempts ?? []).filter((row) => isBegun(row) && isCreate(row)),
  )
  const lost = journal.attempts.filter((row) => isCreate(row) && isUnanswered(row))
  const expected = cutOff.length + lost.length > 0 ? 'unknown' : 'succeeded'
  const doubtful = [...cutOff, ...lost].map(({ path }) => path).join(', ')
  const early = accounts.filter(({ place }) => expected === 'unknown' && finalPlaces.includes(place))
  return [
    ...(run.status === expected
      ? []
      : [
          `the run is ${run.status} (${run.error?.code}: ${run.error?.message}), not ${expected} (${doubtful})`,
        ]),
    ...early.map(({ place }) => `${place}: clean-up of a run whose outcome nobody knows`),
  ]
}

function isCreate({ action }: AttemptRecord): boolean {
  return action === 'safari/a2a-agent/create' || action === 'rum/application/create'
}
