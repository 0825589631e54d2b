import { setTimeout as sleep } from 'node:timers/promises'
import { errorRules } from '../../../core/errors.ts'
import type { TimedRunEvent } from '../../../core/events.ts'
import type { RunOutcome } from '../../../core/interpret.ts'
import { isCarriedOut } from '../../../core/record/run-record.ts'
import { RunbookError } from '../../../core/run-error.ts'
import { artifactsFolder } from '../../attempt/artifact-files.ts'
import type { AskHere } from '../../engine.ts'
import { createEventStream } from '../../record/event-stream.ts'
import type { RunHandle, RunReport } from '../../record/run-handle.ts'
import { systemIdentity } from '../../record/system-user.ts'
import { createAskingHere } from './ask-here.ts'
import { followEvents } from './follow-events.ts'
import { outcomeOf } from './outcome-of.ts'
import { readStanding, type StandingRun } from './read-standing.ts'
import { sendControlRequest } from './send-control-request.ts'
import type { StartedRun } from './start-run.ts'
import { type ClientPorts, noRun } from './talk-to-run.ts'
import { untilBegun } from './until-begun.ts'

/** What a run on Temporal is followed with. */
export interface FollowRunOptions extends ClientPorts {
  /** The directory that the workers share. */
  readonly dataDir: string
  /** Told of everything as it happens. What it throws is ignored. */
  readonly onEvent?: (event: TimedRunEvent) => void
  /** Asks a person who is at hand. Others can answer from elsewhere all the same. */
  readonly onQuestion?: AskHere
  /** Told what keeps the run from going on, such as that there is no worker. */
  readonly say?: (text: string) => void
  /** Only what happens after this event is told. */
  readonly afterSeq?: number
}

/** Follows a run to its end. Whoever stops following it stops nothing. */
export function followRun({ runId, isJoined, awaited }: StartedRun, options: FollowRunOptions): RunHandle {
  const { dataDir, onEvent, onQuestion, say, afterSeq } = options
  const stream = createEventStream()
  const left = new AbortController()
  const asking = onQuestion && createAskingHere(runId, options, onQuestion)
  const tell = (event: TimedRunEvent): void => {
    stream.push(event)
    try {
      onEvent?.(event)
    } catch {
      // A listener must not be able to hurt anything.
    }
    asking?.take(event)
  }
  const begun = Promise.resolve(
    awaited && untilBegun(options, awaited, { signal: left.signal, ...(say === undefined ? {} : { say }) }),
  )
  // Whoever follows hears of it, and nobody else.
  begun.catch(() => {})
  const run = async (): Promise<RunReport> => {
    await new Promise((resolve) => setImmediate(resolve))
    await begun
    for await (const { event } of followEvents(options, runId, {
      signal: left.signal,
      ...(afterSeq === undefined ? {} : { afterSeq }),
      ...(say === undefined ? {} : { say }),
    }))
      tell(event)
    if (left.signal.aborted) {
      throw new RunbookError('Interrupted', `${runId} goes on on its workers`, { notSent: true })
    }
    return readReport(runId, dataDir, options)
  }
  const result = run()
    .catch((thrown) => {
      throw unreadableHere(thrown, runId)
    })
    .finally(() => {
      asking?.end()
      stream.end()
    })
  // Whoever leaves may never ask how it ended; whoever asks gets the error all the same.
  result.catch(() => {})
  return {
    runId,
    isJoined,
    events: stream,
    result,
    // There is nobody to tell before it is there.
    cancel: () =>
      void begun
        .then(() => sendControlRequest(runId, options, { kind: 'cancel', by: systemIdentity() }))
        .catch(() => {}),
    interrupt: () => left.abort(),
  }
}

/** Whoever sees the error knows which run goes on. */
function unreadableHere(thrown: unknown, runId: string): unknown {
  if (!RunbookError.is(thrown) || thrown.code !== 'PayloadUnreadable') return thrown
  const message = `${runId} is started, and the answers of its workers cannot be read here: ${thrown.message}`
  const { next } = errorRules.PayloadUnreadable
  return new RunbookError('PayloadUnreadable', message, {
    cause: thrown,
    details: { run_id: runId },
    next: `${next} Then follow the run: "opsbook watch ${runId}". "opsbook run" would start another one.`,
  })
}

const lookAgainMs = 20

/** The server closes a workflow a moment after its run has told of its end. */
async function readEnded(runId: string, ports: ClientPorts): Promise<StandingRun> {
  for (;;) {
    const standing = await readStanding(runId, ports)
    if (!standing) throw noRun(runId, ports)
    if (!isCarriedOut(standing.status)) return standing
    await sleep(lookAgainMs)
  }
}

async function readReport(runId: string, dataDir: string, ports: ClientPorts): Promise<RunReport> {
  const standing = await readEnded(runId, ports)
  const { runbook, status, started_at, ended_at = started_at, steps } = standing
  const handle = ports.client.workflow.getHandle(runId)
  const outcome: Partial<RunOutcome> = await outcomeOf(handle).catch(() => ({}))
  const { outputs, error = standing.error, warnings = [], warnings_left_out } = outcome
  return {
    run_id: runId,
    runbook,
    status: isCarriedOut(status) ? 'interrupted' : status,
    ...(outputs === undefined ? {} : { outputs }),
    ...(error === undefined ? {} : { error }),
    ...(warnings.length === 0 ? {} : { warnings }),
    ...(warnings_left_out === undefined ? {} : { warnings_left_out }),
    started_at,
    ended_at,
    steps: steps.filter(({ path }) => !path.includes('[')),
    artifacts_dir: artifactsFolder(dataDir, runId),
  }
}
