import { RunbookError } from '../core/run-error.ts'
import type { StreamOptions } from './answer.ts'
import { attemptRecord } from './attempt.ts'
import { checkCall } from './check-call.ts'
import type { Connection } from './connection.ts'
import { joinSignals } from './join-signals.ts'
import type { Life } from './life.ts'
import { readRecord, type SessionLine } from './session-record/index.ts'

/** The lines of a session. Nobody knows whether a reader will ask for the next one: closing does not wait for that. */
export async function* streamSession(
  connection: Connection,
  life: Life,
  input: unknown,
  options: StreamOptions,
): AsyncGenerator<SessionLine> {
  const closing = new AbortController()
  const over = life.begin(() => closing.abort(new RunbookError('Cancelled', 'the client is closed')))
  const { signal, release } = joinSignals(options.signal, closing.signal)
  try {
    const route = connection.routes.exportSession
    const checked = checkCall({ ...route.operation, savesFile: 'never' }, input, options)
    const chunks = attemptRecord(connection, route, checked.input, { ...options, signal }, () => {})
    const includeSubagents = checked.input['include_subagents'] === true
    yield* readRecord(chunks, { includeSubagents, ...(options.onEnd ? { onEnd: options.onEnd } : {}) })
  } finally {
    release()
    over()
  }
}
