import { gatherEvidence } from './judge.ts'
import { findUnresolved } from './settle.ts'
import type { Stage } from './stage.ts'
import { cleanUpPlaces, placeOfTagged } from './tagged-places.ts'

/** When somebody was told that the run is being cancelled, and whether with its clean-up. */
export interface Acknowledged {
  readonly atMs: number
  readonly isNow: boolean
  /** No process carried the run out: whoever cancelled it carried out its clean-up. */
  readonly isInPlace?: boolean
}

/** Once a cancellation was acknowledged nothing new is begun but clean-up, and the run ends as cancelled. */
export async function checkCancelled(stage: Stage, acknowledged: readonly Acknowledged[]): Promise<void> {
  const evidence = await gatherEvidence(stage)
  if (!evidence) return
  const { journal, requests, applications } = evidence
  const { run, attempts } = journal
  const isClean = (path: string): boolean => cleanUpPlaces.includes(path)
  const first = Math.min(...acknowledged.map(({ atMs }) => atMs))
  // A write that failed on its way made the run fail, and somebody has resumed it: that is another request.
  const hasFailed = journal.events.some(
    ({ event }) =>
      event.type === 'run_finished' && event.status === 'failed' && Date.parse(event.at) >= first,
  )
  if (hasFailed) return
  const firstNow = Math.min(...acknowledged.filter(({ isNow }) => isNow).map(({ atMs }) => atMs))
  const complain = (text: string): void => void stage.complaints.push(text)
  const all = [...attempts, ...evidence.stops.flatMap(({ journal }) => journal?.attempts ?? [])]
  for (const { path, started_at } of all) {
    if (Date.parse(started_at) > (isClean(path) ? firstNow : first)) {
      complain(`${path} was begun at ${started_at}, after a cancellation was acknowledged`)
    }
  }
  const isDone = run.status === 'succeeded' && run.steps.every(({ status }) => status === 'succeeded')
  if (acknowledged.length > 0 && run.status !== 'cancelled' && !isDone)
    complain(`a cancellation was acknowledged, and the run is ${run.status}: ${run.error?.message}`)
  const e2 = requests.filter(({ operation }) => operation === 'E2')
  const cleaning = e2.findIndex((request) => isClean(placeOfTagged(request, applications)))
  const late = e2.slice(cleaning).filter((request) => !isClean(placeOfTagged(request, applications)))
  if (run.status === 'cancelled' && cleaning >= 0 && late.length > 0)
    complain('work was begun after clean-up had begun')
  const requested = journal.control_requests.reduce(
    (sum, { kind }) => sum + (kind === 'cancel-now' ? 2 : 1),
    0,
  )
  // To cancel a run that nobody carries out is to carry out its clean-up, and not to give that up.
  const inPlace = acknowledged.filter((one) => one.isInPlace && !one.isNow).length
  const isOnce = requested - inPlace <= 1
  const isInDoubt = journal.decisions.some(({ path }) => isClean(path)) || findUnresolved(journal).length > 0
  for (const place of cleanUpPlaces) {
    const made = e2.filter((request) => request.executed && placeOfTagged(request, applications) === place)
    if (run.status === 'cancelled' && isOnce && !isInDoubt && made.length !== 1)
      complain(`${place}: clean-up was carried out ${made.length} times, not once`)
  }
}
