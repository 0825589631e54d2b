import type { TimedRunEvent } from '../../../core/events.ts'
import { RunbookError } from '../../../core/run-error.ts'
import { createEventStream, type RunHandle, type RunReport, reportOf } from '../../record/index.ts'
import { openRunReader, type RunReader } from '../read/run-reader.ts'
import type { EngineOptions } from './run-options.ts'

/** Follows a run that another process executes, or that has ended, by its record. */
export function joinRun(runId: string, { dataDir, onEvent }: EngineOptions): RunHandle {
  const left = new AbortController()
  const stream = createEventStream(onEvent)
  const follow = async (): Promise<RunReport> => {
    await new Promise((resolve) => setImmediate(resolve))
    const reader = openRunReader(dataDir)
    if (!reader) throw new RunbookError('DataDirUnusable', `the record of ${runId} is missing in ${dataDir}`)
    try {
      return await followToEnd(reader, runId, stream.push, left.signal)
    } finally {
      reader.close()
    }
  }
  const leave = (): void => left.abort()
  const result = follow().finally(() => stream.end())
  // A caller that leaves may never read the result, so the rejection must not be unhandled.
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
  const report = record && reportOf(record, last?.at)
  if (!report)
    throw new RunbookError('Interrupted', `${runId} continues in another process`, { notSent: true })
  return report
}
