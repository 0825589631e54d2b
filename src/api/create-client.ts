import { hint } from '../core/nearest.ts'
import type { AttemptOptions, StreamOptions } from './answer.ts'
import { attemptRecord } from './attempt.ts'
import { checkCall } from './check-call.ts'
import { checkInput, invalidInput } from './check-input.ts'
import type { Client } from './client.ts'
import type { ClientOptions } from './client-options.ts'
import { type Connection, createConnection } from './connection.ts'
import { createLife, type Life } from './life.ts'
import { makeAttempt } from './make-attempt.ts'
import { type OperationMethod, operations } from './operations/index.ts'
import type { AnyOperation } from './operations/operation.ts'
import { performCall } from './perform.ts'
import { readRecord, type SessionLine } from './session-record/index.ts'

const methods = Object.keys(operations) as readonly OperationMethod[]

/** A client of the service. Wrong options are a `RunbookError` at once: `InvalidInput` or `MissingKey`. */
export function createClient(options: ClientOptions): Client {
  const connection = createConnection(options)
  const life = createLife()

  /** One call, as a whole or a single attempt of it. */
  const call =
    (make: typeof performCall | typeof makeAttempt) =>
    async (method: OperationMethod, input: unknown, options: AttemptOptions = {}): Promise<unknown> => {
      const over = life.begin()
      try {
        const operation = operationOf(method)
        const maxItems = make === makeAttempt ? operation.batch?.size : undefined
        const checked = checkCall(operation, input, options, maxItems)
        const answer = await make(connection, method, checked.input, options)
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
  return {
    ...(Object.fromEntries(calls) as Pick<Client, OperationMethod>),
    attempt: call(makeAttempt) as Client['attempt'],
    streamSession: (input, options = {}) => streamLines(connection, life, input, options),
    check: (method, input) => checkInput(operationOf(method), input).problems,
    async close() {
      await life.end()
      await Promise.all([connection.agents.kept.close(), connection.agents.fresh.close()])
    },
  }
}

async function* streamLines(
  connection: Connection,
  life: Life,
  input: unknown,
  options: StreamOptions,
): AsyncGenerator<SessionLine> {
  const over = life.begin()
  try {
    const route = connection.routes.exportSession
    const checked = checkCall({ ...route.operation, savesFile: 'never' }, input, options)
    const chunks = attemptRecord(connection, route, checked.input, options, () => {})
    const includeSubagents = checked.input['include_subagents'] === true
    yield* readRecord(chunks, { includeSubagents, ...(options.onEnd ? { onEnd: options.onEnd } : {}) })
  } finally {
    over()
  }
}

function operationOf(method: OperationMethod): AnyOperation {
  if (Object.hasOwn(operations, method)) return operations[method]
  const message = `${JSON.stringify(method)} is not an operation${hint(String(method), methods)}`
  throw invalidInput('client', [{ path: 'method', message }])
}
