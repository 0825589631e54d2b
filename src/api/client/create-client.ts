import { RunbookError } from '../../core/run-error.ts'
import { hint } from '../../core/text/index.ts'
import { type OperationMethod, operations } from '../operations/index.ts'
import type { AnyOperation } from '../operations/operation.ts'
import { joinSignals } from '../pacing/waits.ts'
import { keepSecretsOf } from '../secrets/scrub.ts'
import { readRecord, type SessionLine } from '../session-record/index.ts'
import { checkInput, invalidInput } from '../validation/check-input.ts'
import type { AttemptOptions, CallOptions, StreamOptions } from './answer.ts'
import { attemptOperation, attemptRecord } from './attempt.ts'
import { performCall } from './call-with-retries.ts'
import { checkCall } from './check-call.ts'
import type { Client } from './client.ts'
import { type Connection, createConnection, safeListener } from './client-context.ts'
import type { ClientOptions } from './client-options.ts'

const methods = Object.keys(operations) as readonly OperationMethod[]

/** A client of the service. Throws `InvalidInput` or `MissingKey` for wrong options. */
export function createClient(options: ClientOptions): Client {
  const connection = createConnection(options)
  const life = createInFlightTracker()

  /** One call, as a whole or a single attempt of it. */
  const call =
    (make: typeof performCall | typeof attemptOperation) =>
    async (method: OperationMethod, input: unknown, options: AttemptOptions = {}): Promise<unknown> => {
      const over = life.begin()
      try {
        const operation = operationOf(method)
        const maxItems = make === attemptOperation ? operation.batch?.size : undefined
        const checked = checkCall(operation, input, options, maxItems)
        const answer = await make(connection, method, checked.input, withSafeListeners(options))
        if (checked.warnings.length === 0) return answer
        return { ...answer, warnings: [...checked.warnings, ...answer.warnings] }
      } finally {
        over()
      }
    }

  const perform = call(performCall)
  const calls = methods.map((method) => {
    const named = (input: unknown, options?: AttemptOptions): Promise<unknown> =>
      perform(method, input, options)
    return [method, named]
  })
  const client: Client = {
    ...(Object.fromEntries(calls) as Pick<Client, OperationMethod>),
    attempt: call(attemptOperation) as Client['attempt'],
    streamSession: (input, options = {}) =>
      streamSession(connection, life, input, withSafeListeners(options)),
    check: (method, input) => checkInput(operationOf(method), input).problems,
    async close() {
      await life.end()
      await connection.agents.close()
    },
  }
  return keepSecretsOf(client, [connection.settings.appKey])
}

/** The options with listeners that cannot fail. */
function withSafeListeners<Options extends CallOptions>(options: Options): Options {
  const { onWait, onWaitOver } = options
  if (!onWait && !onWaitOver) return options
  return {
    ...options,
    onWait: onWait && safeListener(onWait),
    onWaitOver: onWaitOver && safeListener(onWaitOver),
  }
}

function operationOf(method: OperationMethod): AnyOperation {
  if (Object.hasOwn(operations, method)) return operations[method]
  const message = `${JSON.stringify(method)} is not an operation${hint(String(method), methods)}`
  throw invalidInput('client', [{ path: 'method', message }])
}

/**
 * The lines of a session. Closing the client ends the stream, since its reader may never ask for the next
 * line.
 */
async function* streamSession(
  connection: Connection,
  life: InFlightTracker,
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

/** Tracks the calls in flight of one client. */
export interface InFlightTracker {
  /**
   * Counts a call, and answers with the function that ends the count. Throws once closing has begun. Closing aborts
   * calls with `giveUp` and does not wait for them.
   */
  begin(giveUp?: () => void): () => void
  /** Refuses new calls, and resolves when no call is in flight. */
  end(): Promise<void>
}

function createInFlightTracker(): InFlightTracker {
  let running = 0
  const quitters = new Set<() => void>()
  let isClosing = false
  let closed = (): void => {}
  const allOver = new Promise<void>((resolve) => {
    closed = resolve
  })
  const settle = (): void => {
    if (isClosing && running === 0) closed()
  }
  return {
    begin(giveUp) {
      if (isClosing) throw new RunbookError('Cancelled', 'the client is closed', { notSent: true })
      if (giveUp) {
        quitters.add(giveUp)
        return () => quitters.delete(giveUp)
      }
      running++
      return () => {
        running--
        settle()
      }
    },
    end() {
      isClosing = true
      for (const giveUp of quitters) giveUp()
      settle()
      return allOver
    },
  }
}
