import { setTimeout as sleep } from 'node:timers/promises'
import { isBegun, isCreate, isUnanswered } from './account.ts'
import type { Journal } from './journal.ts'
import type { Ended, OpsbookProcess } from './opsbook-process.ts'
import { noteStop, type Stage, settledRequests } from './stage.ts'
import { placeOfTagged, tagOf } from './tagged-places.ts'

/** So many resumes and decisions are enough for any run. */
const mostTries = 30

/**
 * Brings a run to its end as a person would: decides what is in doubt by what the sandbox says, resumes what stopped,
 * lets go on what is paused. `before` is asked before each resume.
 */
export async function settle(
  stage: Stage,
  tag: string = stage.tag,
  before?: () => Promise<void>,
): Promise<void> {
  for (let tries = 0; tries < mostTries; tries++) {
    const journal = stage.journal(tag)
    if (!journal) {
      stage.complaints.push('there is no run')
      return
    }
    const { status, run_id } = journal.run
    if (status === 'succeeded' || status === 'cancelled') return
    await before?.()
    if (status === 'unknown' && findUnresolved(journal).length > 0) await decideByTruth(stage, journal, tag)
    else {
      const ended = await untilEnded(stage, stage.start(['resume', run_id]))
      stage.expectCode(ended, resumeCodes)
      const isRefused = status === 'unknown' && ended.code === 4 && ended.last?.type !== 'run_finished'
      if (isRefused) await decideAgain(stage, journal)
    }
    await noteStop(stage, tag)
  }
  const { run } = stage.journal(tag) as Journal
  stage.complaints.push(`stuck: the run is ${run.status} after ${mostTries} turns: ${run.error?.message}`)
}

/** The ways a resume that nobody disturbs can end: done, failed, cancelled, in doubt. */
const resumeCodes = [0, 1, 3, 4]

/** Lets a run that was paused before go on once a process carries it out. */
export async function untilEnded(stage: Stage, process: OpsbookProcess): Promise<Ended> {
  let ended: Ended | undefined
  void process.ended.then((end) => {
    ended = end
  })
  for (;;) {
    await Promise.race([process.ended, sleep(300)])
    if (ended) return ended
    const journal = stage.journal()
    if (journal?.run.status === 'paused') await stage.command('unpause', journal.run.run_id)
  }
}

/** The creates of which the journal cannot say what became of them, by their paths. */
export function findUnresolved({ run, attempts }: Journal): readonly string[] {
  if (run.status !== 'unknown') return []
  const isLost = (row: Journal['attempts'][number]): boolean =>
    !row.is_superseded && (isBegun(row) || isUnanswered(row) || row.error?.code === 'OutcomeUnknown')
  return [...new Set(attempts.filter((row) => isCreate(row) && isLost(row)).map(({ path }) => path))]
}

/** What to say of a create, by what the sandbox says of it. */
export async function findTruth(
  stage: Stage,
  path: string,
  tag: string = stage.tag,
): Promise<readonly string[]> {
  const applications = await stage.sandbox.applications()
  const made = (await settledRequests(stage.sandbox)).filter(
    (request) =>
      request.operation === 'E2' &&
      request.executed &&
      tagOf(request, applications) === tag &&
      placeOfTagged(request, applications) === path,
  )
  const last = made.at(-1)
  if (!last) return ['--as', 'failed']
  const [id] = [...applications].filter(([, name]) => name === last.body['application_name']).at(-1) ?? []
  return ['--as', 'succeeded', '--outputs', JSON.stringify({ application_id: id ?? '' })]
}

/** What is in doubt and no create can be made again: a write that was in flight in a run that was cancelled. */
async function decideAgain(stage: Stage, { run, undecided: [path = ''] }: Journal): Promise<void> {
  const words = ['decide', run.run_id, path, '--as', 'failed', '--no-resume']
  stage.expectCode(await stage.command(...words), [0, 4])
}

async function decideByTruth(stage: Stage, journal: Journal, tag: string): Promise<void> {
  const paths = findUnresolved(journal)
  for (const [index, path] of paths.entries()) {
    const truth = await findTruth(stage, path, tag)
    const ended = await stage.command('decide', journal.run.run_id, path, ...truth, '--no-resume')
    stage.expectCode(ended, [index === paths.length - 1 ? 0 : 4])
  }
}
