import { hint } from '../core/nearest.ts'
import type { AttemptOptions, CallOptions } from './answer.ts'
import { attemptOperation } from './attempt-operation.ts'
import { checkCall } from './check-call.ts'
import { checkInput, invalidInput } from './check-input.ts'
import type { Client } from './client.ts'
import type { ClientOptions } from './client-options.ts'
import { keepSecretsOf } from './client-secrets.ts'
import { createConnection } from './connection.ts'
import { createLife } from './life.ts'
import { type OperationMethod, operations } from './operations/index.ts'
import type { AnyOperation } from './operations/operation.ts'
import { performCall } from './perform.ts'
import { quiet } from './quiet.ts'
import { streamSession } from './stream-session.ts'

const methods = Object.keys(operations) as readonly OperationMethod[]

/** A client of the service. Wrong options are a `RunbookError` at once: `InvalidInput` or `MissingKey`. */
export function createClient(options: ClientOptions): Client {
  const connection = createConnection(options)
  const life = createLife()

  /** One call, as a whole or a single attempt of it. */
  const call =
    (make: typeof performCall | typeof attemptOperation) =>
    async (method: OperationMethod, input: unknown, options: AttemptOptions = {}): Promise<unknown> => {
      const over = life.begin()
      try {
        const operation = operationOf(method)
        const maxItems = make === attemptOperation ? operation.batch?.size : undefined
        const checked = checkCall(operation, input, options, maxItems)
        const answer = await make(connection, method, checked.input, quietly(options))
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
    streamSession: (input, options = {}) => streamSession(connection, life, input, quietly(options)),
    check: (method, input) => checkInput(operationOf(method), input).problems,
    async close() {
      await life.end()
      await connection.agents.close()
    },
  }
  return keepSecretsOf(client, [connection.settings.appKey])
}

/** The options with listeners that cannot fail. */
function quietly<Options extends CallOptions>(options: Options): Options {
  const { onWait, onWaitOver } = options
  if (!onWait && !onWaitOver) return options
  return { ...options, onWait: onWait && quiet(onWait), onWaitOver: onWaitOver && quiet(onWaitOver) }
}

function operationOf(method: OperationMethod): AnyOperation {
  if (Object.hasOwn(operations, method)) return operations[method]
  const message = `${JSON.stringify(method)} is not an operation${hint(String(method), methods)}`
  throw invalidInput('client', [{ path: 'method', message }])
}
