import type { RunSummary } from '../../../core/record/index.ts'
import { errorData } from '../../../core/run-error.ts'
import type { Inbox, UnreadRun, WaitingRun } from '../../index.ts'
import { findUnresolvedCalls } from '../resume/decide-continued.ts'
import { type ClientPorts, serverError } from './client-ports.ts'
import { listRuns, usualReach } from './list-runs.ts'
import { readEnded } from './read-ended.ts'
import { askState } from './read-run.ts'

/** The bounds of one reading. */
export interface InboxReach {
  /** The most open runs that are read, and the most that have ended, the newest first. */
  readonly most: number
  /** The most runs that are read at a time. */
  readonly atOnce: number
  /** Runs that were not read after this many milliseconds are named as unread. */
  readonly withinMs: number
}

const usual: InboxReach = { most: 500, atOnce: 16, withinMs: 30_000 }

/** Facts about the server or its workers: any other run would fail in the same way. */
const ofAll: ReadonlySet<string> = new Set(['NoWorker', 'TemporalUnavailable'])

/**
 * The open questions and unresolved outcomes of the runs of a task queue that the server lists as waiting, paused, unknown or
 * interrupted. Rejects only if the server does not list them.
 */
export async function readInbox(ports: ClientPorts, reach: InboxReach = usual): Promise<Inbox> {
  const limit = reach.most + 1
  // Runs of other queues have other workers, and other targets of notifications.
  const ofQueue = { ...usualReach, taskQueue: ports.taskQueue }
  const [open, ended] = await Promise.all([
    listRuns(ports, { status: ['waiting', 'paused'], limit }, ofQueue),
    listRuns(ports, { status: ['unknown', 'interrupted'], limit }, ofQueue),
  ])
  const listed = [...open.slice(0, reach.most), ...ended.slice(0, reach.most)]
  const hasMore = open.length > reach.most || ended.length > reach.most
  return { ...(await readEach(listed, ports, reach)), hasMore }
}

async function readEach(
  listed: readonly RunSummary[],
  ports: ClientPorts,
  { atOnce, withinMs }: InboxReach,
): Promise<Omit<Inbox, 'hasMore'>> {
  const runs: WaitingRun[] = []
  const unread: UnreadRun[] = []
  const endMs = Date.now() + withinMs
  let why: Omit<UnreadRun, 'run_id'> | undefined
  const rest = listed.values()
  const readNext = async (): Promise<void> => {
    for (const run of rest) {
      if (Date.now() > endMs) why ??= { code: 'Timeout', message: `not read within ${withinMs / 1000} s` }
      if (why) unread.push({ run_id: run.run_id, ...why })
      else
        await readOne(run, ports).then(
          (found) => void (found && runs.push(found)),
          (thrown: unknown) => {
            const { code, message } = errorData(serverError(thrown, ports))
            unread.push({ run_id: run.run_id, code, message })
            if (ofAll.has(code) && runs.length === 0) why ??= { code, message }
          },
        )
    }
  }
  // All of them take from one iterator.
  await Promise.all(Array.from({ length: atOnce }, readNext))
  return { runs, unread }
}

/** Undefined: it waits for no person, such as for an event. */
async function readOne(run: RunSummary, ports: ClientPorts): Promise<WaitingRun | undefined> {
  const { run_id: runId, status } = run
  if (status === 'unknown' || status === 'interrupted') {
    const { start, continued } = await readEnded(ports, runId, () => {})
    const unresolved = findUnresolvedCalls(start.plan, continued)
    const questions = continued.questions.filter((question) => question.status === 'open')
    return unresolved.length + questions.length === 0 ? undefined : { ...run, questions, unresolved }
  }
  const state = await askState(runId, ports)
  const questions = state.questions.filter((question) => question.status === 'open')
  return questions.length === 0 || state.status === 'ended'
    ? undefined
    : { ...run, status: state.status, questions, unresolved: [] }
}
