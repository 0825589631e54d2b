import type { TimedRunEvent } from '../../core/events.ts'
import { isCarriedOut, type RunRecord } from '../../core/record/run-record.ts'
import { RunbookError } from '../../core/run-error.ts'
import { createEventStream } from '../record/event-stream.ts'
import type { RunHandle, RunReport } from '../record/run-handle.ts'
import type { EngineOptions } from './run-options.ts'
import { openRunReader, type RunReader } from './run-reader.ts'

/** Follows a run that another process carries out, or that has ended, by its record. */
export function joinRun(runId: string, { dataDir, onEvent }: EngineOptions): RunHandle {
  const left = new AbortController()
  const stream = createEventStream()
  const listener = (event: TimedRunEvent): void => {
    stream.push(event)
    try {
      onEvent?.(event)
    } catch {
      // A listener must not be able to hurt anything.
    }
  }
  const follow = async (): Promise<RunReport> => {
    await new Promise((resolve) => setImmediate(resolve))
    const reader = openRunReader(dataDir)
    if (!reader) throw new RunbookError('DataDirUnusable', `the record of ${runId} has gone from ${dataDir}`)
    try {
      return await followToEnd(reader, runId, listener, left.signal)
    } finally {
      reader.close()
    }
  }
  const leave = (): void => left.abort()
  const result = follow().finally(() => stream.end())
  // Whoever leaves may never ask how it ended; whoever asks gets the error all the same.
  result.catch(() => {})
  return { runId, isJoined: true, events: stream, result, cancel: leave, interrupt: leave }
}

async function followToEnd(
  reader: RunReader,
  runId: string,
  listener: (event: TimedRunEvent) => void,
  signal: AbortSignal,
): Promise<RunReport> {
  let last: TimedRunEvent | undefined
  for await (const { event } of reader.followEvents(runId, { signal })) {
    last = event
    listener(event)
  }
  const record = reader.readRun(runId)
  if (!record || isCarriedOut(record.status)) {
    throw new RunbookError('Interrupted', `${runId} goes on in another process`, { notSent: true })
  }
  return reportOf(record, record.status, last?.at)
}

function reportOf(record: RunRecord, status: RunReport['status'], lastSeenAt: string | undefined): RunReport {
  const { run_id, runbook, outputs, error, warnings, started_at, ended_at, steps, artifacts_dir } = record
  const { warnings_left_out } = record
  return {
    run_id,
    runbook,
    status,
    ...(outputs === undefined ? {} : { outputs }),
    ...(error === undefined ? {} : { error }),
    ...(warnings.length === 0 ? {} : { warnings }),
    ...(warnings_left_out === undefined ? {} : { warnings_left_out }),
    started_at,
    // A process that died has left no end but its last event.
    ended_at: ended_at ?? lastSeenAt ?? started_at,
    steps: steps.filter(({ path }) => !path.includes('[')),
    artifacts_dir,
  }
}
