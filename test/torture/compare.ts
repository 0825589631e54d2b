import { type Account, createAccounts, type Evidence, isBegun, isCreate, isUnanswered } from './account.ts'
import { checkAccounts } from './check-accounts.ts'
import { finalPlaces, placeOfPath, placeOfRequest } from './places.ts'

/** Everything in which the journal and the record of the sandbox do not agree, or do not keep what is promised. */
export function compare(evidence: Evidence): readonly string[] {
  const accounts = createAccounts(evidence, placeOfRequest)
  return [
    ...checkAccounts(evidence, accounts),
    ...accounts.flatMap((account) => checkRepeats(account, evidence)),
    ...checkStatus(evidence, accounts),
  ]
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
