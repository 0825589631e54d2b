import { setTimeout as sleep } from 'node:timers/promises'
import type { RecordedEvent } from '../../../core/record/run-record.ts'
import type { FollowOptions } from '../../engine.ts'
import { type EventsPage, eventsQuery } from '../messages.ts'
import { askRun } from './ask-run.ts'
import { isKept } from './is-kept.ts'
import { createPatience } from './patience.ts'
import { readStart } from './read-history.ts'
import type { ClientPorts } from './talk-to-run.ts'

/** How often a run is asked what is new. */
const lookMs = 100
/** After so many looks at nothing new the server is asked whether the run still goes on. */
const looksUntilAsked = 10

/**
 * The events of a run as they happen, until its end. Waits for workers, and for a server that is away, and says so:
 * none of that ends the run.
 */
export async function* followEvents(
  ports: ClientPorts,
  runId: string,
  { afterSeq = 0, signal, say = () => {} }: FollowOptions = {},
): AsyncGenerator<RecordedEvent> {
  let last = afterSeq
  let execution: string | undefined
  let looks = 0
  let isOver = false
  const patiently = createPatience(say)
  while (!signal?.aborted) {
    const page = await patiently(() => readPage(ports, runId, execution, last))
    if (!page) {
      await pause(signal)
      continue
    }
    if (page.keptFromSeq !== undefined) {
      last = page.keptFromSeq - 1
      execution = undefined
      continue
    }
    for (const recorded of page.events) {
      last = recorded.seq
      yield recorded
      if (recorded.event.type === 'run_finished') return
    }
    // An execution that is over knows no more: the last one says who knows what follows.
    const isRead = execution !== undefined && !page.isMore
    execution = isRead ? undefined : (page.runId ?? execution)
    if (!page.isMore && !isRead) {
      if (isOver && page.events.length === 0) return
      looks = page.events.length === 0 ? (looks + 1) % looksUntilAsked : 1
      // Its last words may have come since: they are asked for once more.
      if (looks === 0) isOver = (await patiently(() => hasEnded(ports, runId))) === true
      else await pause(signal)
    }
  }
}

/** The events so far. */
export async function readEvents(
  ports: ClientPorts,
  runId: string,
  afterSeq = 0,
): Promise<readonly RecordedEvent[]> {
  const found: RecordedEvent[] = []
  let last = afterSeq
  let execution: string | undefined
  for (;;) {
    const page = await readPage(ports, runId, execution, last)
    if (page.keptFromSeq !== undefined) {
      last = page.keptFromSeq - 1
      execution = undefined
      continue
    }
    found.push(...page.events)
    last = page.events.at(-1)?.seq ?? last
    const isRead = execution !== undefined && !page.isMore
    if (!page.isMore && !isRead) return found
    execution = isRead ? undefined : (page.runId ?? execution)
  }
}

/** What was read. `keptFromSeq`: the execution is gone, as those before it are; the log goes on with this event. */
type ReadPage = EventsPage & { readonly keptFromSeq?: number }

function readPage(
  ports: ClientPorts,
  runId: string,
  execution: string | undefined,
  afterSeq: number,
): Promise<ReadPage> {
  const { client } = ports
  return askRun(runId, ports, async () => {
    if (execution !== undefined && !(await isKept(client, runId, execution)))
      return { events: [], isMore: true, keptFromSeq: await seqAfter(ports, runId, execution) }
    return client.workflow.getHandle(runId, execution).query<EventsPage, [number]>(eventsQuery, afterSeq)
  })
}

/** The number of the first event of the execution that came after this one. */
async function seqAfter({ client }: ClientPorts, runId: string, execution: string): Promise<number> {
  const { executions = [], lastSeq = 0 } = (await readStart(client, runId)).carried ?? {}
  const index = executions.findIndex((one) => one.runId === execution)
  return executions[index + 1]?.firstSeq ?? lastSeq + 1
}

/** A run that was stopped on the server has told no end. */
async function hasEnded(ports: ClientPorts, runId: string): Promise<boolean> {
  const { status } = await askRun(runId, ports, () => ports.client.workflow.getHandle(runId).describe())
  return status.name !== 'RUNNING' && status.name !== 'PAUSED'
}

async function pause(signal: AbortSignal | undefined): Promise<void> {
  await sleep(lookMs, undefined, signal ? { signal } : {}).catch(() => {})
}
