import { type Action, type ActionContext, createActions, type HttpConnection } from '../../actions/index.ts'
import { isJsonObject } from '../../core/json.ts'
import { createMask } from '../../core/mask/index.ts'
import { RunbookError } from '../../core/run-error.ts'
import { CommandError } from '../shared/command-error.ts'
import { type HttpConnectionDocument, httpConnections } from '../shared/configuration/connections-schema.ts'
import { openHttpConnection } from '../shared/configuration/http-connection.ts'
import type { Configuration } from '../shared/configuration/read-configuration.ts'
import { exitCodes } from '../shared/exit-codes.ts'
import type { Io } from '../shared/io.ts'
import { type Check, failedCheck } from './check.ts'
import type { Needs } from './read-needs.ts'

/** Checks each connection of type `http`: that nothing of it is missing, that its log-in works, that its server answers. */
export function checkHttpConnections(
  configuration: Configuration,
  { connections }: Pick<Needs, 'connections'>,
  io: Io,
): Promise<readonly Check[]> {
  const all = Object.entries(httpConnections(configuration.document.connections))
  return Promise.all(
    all.map(([name, document]) => checkOne(name, document, configuration, connections.has(name), io)),
  )
}

async function checkOne(
  name: string,
  document: HttpConnectionDocument,
  configuration: Configuration,
  isNeeded: boolean,
  io: Io,
): Promise<Check> {
  const title = `connection ${name}`
  try {
    const { connection, warnings } = await openHttpConnection(name, document, configuration, io)
    try {
      const { status, message } = await probe(connection)
      return {
        name: title,
        status: status === 'ok' && warnings.length > 0 ? 'warn' : status,
        message: `${connection.origin} ${message}`,
        hints: warnings,
      }
    } finally {
      await connection.close()
    }
  } catch (error) {
    const failed = failedCheck(title, error)
    const isLack = error instanceof CommandError && error.exitCode === exitCodes.environment
    if (!isLack || isNeeded) return failed
    return { ...failed, status: 'warn', message: `${failed.message}: no runbook here needs it` }
  }
}

const timeoutMs = 10_000

/** A HEAD of the address, which changes nothing: any answer but a refused log-in will do. */
async function probe(connection: HttpConnection): Promise<Pick<Check, 'status' | 'message'>> {
  const http = createActions().find(({ name }) => name === 'core/http') as Action
  try {
    await http.run({ method: 'HEAD' }, contextOf(connection))
    return { status: 'ok', message: 'answers' }
  } catch (thrown) {
    const details = RunbookError.is(thrown) ? thrown.details : undefined
    const status = isJsonObject(details) ? details['status'] : undefined
    if (status === undefined) throw thrown
    if (status !== 401) return { status: 'ok', message: `answers (HTTP ${status} to a HEAD of its address)` }
    return { status: 'fail', message: 'refuses the log-in: HTTP 401' }
  }
}

function contextOf(connection: HttpConnection): ActionContext {
  const { signal } = new AbortController()
  const refuse = (): Promise<never> => Promise.reject(new Error('doctor has no client and no files'))
  return {
    connect: refuse,
    connectHttp: async () => connection,
    hide() {},
    artifacts: { folder: '', fileFor: refuse },
    signal,
    signalBeforeSending: signal,
    beforeSending: async () => {},
    attempt: 1,
    timeoutMs,
    onWait() {},
    onWaitOver() {},
    log() {},
    mask: createMask(),
  }
}
