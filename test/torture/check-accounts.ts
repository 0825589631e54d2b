import type { AttemptRecord } from '../../src/core/record/index.ts'
import { type Account, countDone, type Evidence, isRead, isUnanswered } from './account.ts'
import type { SeenRequest } from './sandbox-process.ts'

/**
 * Everything in which the journal and the record of the sandbox do not agree, step by step. `mostCreates`: how often a
 * step may have created, once where it is left out.
 */
export function checkAccounts(
  { requests, changes, stops, batchesReads }: Evidence,
  accounts: readonly Account[],
  mostCreates: (account: Account) => number = () => 1,
): readonly string[] {
  return [
    ...checkFields(requests),
    ...accounts.flatMap((account) => [
      ...matchIds(account, changes),
      ...countRequests(account, batchesReads && stops.length > 0),
      ...checkCreates(account, mostCreates(account)),
    ]),
  ]
}

/** Nothing is lost: what the journal calls done was done, by the request that it names or by the word of a person. */
function matchIds({ place, attempts, requests, decided }: Account, changes: readonly string[]): string[] {
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

/**
 * Nothing is sent twice: each request is that of an attempt, or of one that was under way when a process ended.
 * `mayMissReads`: a read may have no row at all. Its intent is batched, and a kill can come before the batch.
 */
function countRequests(
  { place, attempts, requests, cutOff, decided }: Account,
  mayMissReads: boolean,
): string[] {
  const named = new Set(attempts.flatMap(({ request_id }) => request_id ?? []))
  const all = requests.filter(({ request_id }) => !named.has(request_id))
  const nameless = all.length
  const needRow = mayMissReads ? all.filter((request) => !isRead(request)).length : nameless
  const unanswered = attempts.filter(isUnanswered).length
  // Given up on its way, or settled by a person: sent or not, it has no answer.
  const open = attempts.filter(isGivenUp).length + cutOff.length + decided
  const says = `${place}: ${nameless} requests without an answer in the journal, where ${unanswered} attempts had none and ${open} may have been sent`
  return nameless < unanswered || needRow > unanswered + open ? [says] : []
}

function isGivenUp({ status, error }: AttemptRecord): boolean {
  return status === 'failed' && error?.code === 'Cancelled' && !error.notSent && !error.isSettled
}

/** A create is carried out as often as it may be. */
function checkCreates(account: Account, most: number): string[] {
  const made = countDone(account, ['E1', 'E2'])
  return made > most ? [`${account.place}: created ${made} times, not ${most}`] : []
}

/** Fields that the service does not know are mistakes of ours. */
function checkFields(requests: readonly SeenRequest[]): string[] {
  return requests
    .filter((request) => request.unknown_fields.length > 0)
    .map((request) => `request ${request.number} has fields that the service does not know`)
}
