import { type Account, countDone, createAccounts, type Evidence } from './account.ts'
import { checkAccounts } from './check-accounts.ts'
import { checkFiles } from './check-files.ts'
import type { Journal } from './journal.ts'
import { type Stage, settledRequests } from './stage.ts'
import { cleanUpPlaces, hostsCreates, placeOfTagged, tagOf } from './tagged-places.ts'

/** Gathers what the sandbox and the journal know of the run with this tag. */
export async function gatherEvidence(stage: Stage, tag: string = stage.tag): Promise<Evidence | undefined> {
  const journal = stage.journal(tag)
  const { sandbox } = stage
  if (!journal) return undefined
  const applications = await sandbox.applications()
  const all = await settledRequests(sandbox)
  return {
    journal,
    stops: stage.stops.filter((one) => one.tag === tag).map(({ stop }) => stop),
    requests: all.filter((request) => tagOf(request, applications) === tag),
    applications,
    changes: (await sandbox.audit()).map(({ request_id }) => request_id),
    batchesReads: true,
  }
}

/** Holds the journal of a run against the record of the sandbox, whoever meddled with it. */
export async function judge(stage: Stage, tag: string = stage.tag): Promise<void> {
  const evidence = await gatherEvidence(stage, tag)
  if (!evidence) {
    stage.complaints.push('no run was begun')
    return
  }
  const { journal } = evidence
  const accounts = createAccounts(evidence, placeOfTagged)
  stage.complaints.push(
    ...checkAccounts(evidence, accounts, (account) => mostCreates(account, journal)),
    ...checkComplete(journal, accounts),
    ...checkFiles(journal),
  )
}

/** Once, and once more for each time a person said so; clean-up once for each ending. */
function mostCreates({ place }: Account, journal: Journal): number {
  const retries = journal.decisions.filter(
    ({ path, decision }) => path === place && decision === 'retry',
  ).length
  return retries + (cleanUpPlaces.includes(place) ? Math.max(countEndings(journal), 1) : 1)
}

/** How often the run has ended; where nobody knew what was done, it had not. */
function countEndings({ events }: Journal): number {
  const over = new Set(['succeeded', 'failed', 'cancelled'])
  return events.filter(({ event }) => event.type === 'run_finished' && over.has(event.status)).length
}

/** Of a run that went well, all has been done. */
export function checkComplete({ run }: Pick<Journal, 'run'>, accounts: readonly Account[]): string[] {
  if (run.status !== 'succeeded' || run.runbook !== 'hosts') return []
  return [...hostsCreates, ...cleanUpPlaces].flatMap((place) => {
    const account = accounts.find((one) => one.place === place)
    return account && countDone(account, ['E2']) > 0
      ? []
      : [`${place}: lost: never created, and the run succeeded`]
  })
}
