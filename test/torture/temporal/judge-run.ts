import {
  type Account,
  createAccounts,
  type Evidence,
  isBegun,
  isCreate,
  isRead,
  isUnanswered,
} from '../account.ts'
import { checkAccounts } from '../check-accounts.ts'
import { checkFiles } from '../check-files.ts'
import { checkRecord } from '../check-record.ts'
import { checkComplete } from '../judge.ts'
import { finalPlaces, placeOfRequest } from '../places.ts'
import { cleanUpPlaces, placeOfTagged } from '../tagged-places.ts'
import type { PlayedRunbook } from './begin-runs.ts'

/** What is known of a run besides its record and that of the sandbox. */
export interface Circumstances {
  /** The creates whose requests were announced, as `path#attempt`. */
  readonly announced: ReadonlySet<string>
}

/** Everything in which a run that is over and the record of the sandbox do not agree, or do not keep what is promised. */
export function judgeRun(
  runbook: PlayedRunbook,
  evidence: Evidence,
  circumstances: Circumstances,
): readonly string[] {
  const { journal } = evidence
  const accounts = accountsOf(runbook, evidence)
  return [
    ...checkAccounts(evidence, accounts),
    ...checkComplete(journal, accounts),
    ...checkFiles(journal),
    ...checkRecord(journal),
    ...checkEnd(evidence, circumstances),
    ...checkCleanUp(
      evidence,
      accounts.map(({ place }) => place),
    ),
  ]
}

function accountsOf(runbook: PlayedRunbook, evidence: Evidence): readonly Account[] {
  return createAccounts(evidence, runbook === 'hosts' ? placeOfTagged : placeOfRequest)
}

/** The creates of a run whose outcome nobody knows, and how many of their requests the service never received. */
export function countUnknown(
  runbook: PlayedRunbook,
  evidence: Evidence,
): { readonly unknown: number; readonly neverSent: number } {
  let unknown = 0
  let neverSent = 0
  for (const { attempts, requests } of accountsOf(runbook, evidence)) {
    const creates = attempts.filter((row) => isCreate(row) && !row.is_superseded && !row.error?.notSent)
    const open = creates.filter(isBegun).length
    const received = requests.filter((request) => !isRead(request)).length
    unknown += open
    neverSent += Math.min(open, Math.max(0, creates.length - received))
  }
  return { unknown, neverSent }
}

/** A run is `unknown` if, and only if, the outcome of a create is; and that only where its request was announced. */
function checkEnd({ journal }: Evidence, { announced }: Circumstances): string[] {
  const { run, attempts } = journal
  const open = attempts.filter(isBegun)
  const unanswered = attempts.filter((row) => isCreate(row) && isUnanswered(row))
  const expected = open.some(isCreate) || unanswered.length > 0 ? 'unknown' : 'succeeded'
  return [
    ...(run.status === expected
      ? []
      : [
          `the run is ${run.status} (${run.error?.code}: ${run.error?.message}), not ${expected}`,
          ...[...open, ...unanswered].map(({ path, attempt, status, error }) =>
            JSON.stringify({ path, attempt, status, error }),
          ),
        ]),
    ...open
      .filter((row) => !isCreate(row))
      .map(({ path }) => `${path} was lost with its worker, and was not made again`),
    ...open
      .filter((row) => isCreate(row) && !announced.has(`${row.path}#${row.attempt}`))
      .map(({ path }) => `${path} has an unknown outcome, and its request was never announced`),
  ]
}

/** Of a run that is in doubt, clean-up waits for the word of a person. */
function checkCleanUp({ journal }: Evidence, places: readonly string[]): string[] {
  if (journal.run.status !== 'unknown') return []
  return places
    .filter((place) => finalPlaces.includes(place) || cleanUpPlaces.includes(place))
    .map((place) => `${place}: clean-up of a run whose outcome nobody knows`)
}
