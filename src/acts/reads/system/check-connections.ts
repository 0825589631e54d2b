import { type Action, createActions } from '../../../actions/index.ts'
import { isJsonObject } from '../../../core/json.ts'
import { type ErrorData, errorData } from '../../../core/run-error.ts'
import type { Check } from '../../../documents/index.ts'
import { openClient, resolveConnection } from '../../../project/clients/index.ts'
import {
  type Configuration,
  type HttpConnectionDocument,
  httpConnections,
  serviceConnections,
} from '../../../project/configuration/index.ts'
import { openHttpConnection, type ServiceChoice } from '../../../project/connections/index.ts'
import type { ProjectContext } from '../../../project/index.ts'
import { CommandError } from '../../../project/index.ts'
import { callAlone } from '../../call/index.ts'
import { check, failedCall, failedCheck, passed, unlessUnneeded } from './check.ts'
import type { Needs } from './read-needs.ts'

/** Checks the connection that a flag names; without one, the default connection and all others of `opsbook.yaml`. */
export async function checkConnections(
  choice: ServiceChoice,
  configuration: Configuration,
  needs: Omit<Needs, 'secret'>,
  context: ProjectContext,
): Promise<readonly Check[]> {
  const service = (why: string | undefined, connection = choice.connection): Promise<readonly Check[]> =>
    unlessLacking('connection', why, () =>
      checkService({ ...choice, ...(connection && { connection }) }, configuration, context),
    )
  if (choice.connection !== undefined || choice.sandbox) return service(undefined)
  const { connections } = configuration.document
  const services = Object.keys(serviceConnections(connections))
  const others = services.filter((name) => name !== 'default' && services.length > 1)
  const checks = await Promise.all([
    service(needs.default),
    ...others.map(async (name) =>
      (await service(needs.connection(name), name)).map((check) => ({
        ...check,
        name: `${check.name} ${name}`,
      })),
    ),
    ...Object.entries(httpConnections(connections)).map(([name, document]) =>
      unlessLacking(`connection ${name}`, needs.connection(name), async () => [
        await checkHttp(name, document, configuration, context),
      ]),
    ),
  ])
  return checks.flat()
}

/** Makes a check. `why`: the reason for which it does not matter that something is missing on this machine. */
async function unlessLacking(
  name: string,
  why: string | undefined,
  check: () => Promise<readonly Check[]>,
): Promise<readonly Check[]> {
  try {
    return await check()
  } catch (error) {
    const isLack = error instanceof CommandError && error.kind === 'environment'
    return [unlessUnneeded(failedCheck(name, error), isLack ? why : undefined)]
  }
}

/** An id that no application has: looking it up changes nothing and needs no permission beyond a valid key. */
const unusedId = 'opsbook-doctor'

/** The answers of a service that has accepted the key. */
const ofService: readonly string[] = [
  'AccessDenied',
  'ResourceNotFound',
  'InvalidParameter',
  'RequestTooFrequently',
  'NoLicense',
]

/** Checks that a service answers and knows the key. Rejects where the connection is not complete. */
async function checkService(
  choice: ServiceChoice,
  configuration: Configuration,
  context: ProjectContext,
): Promise<readonly Check[]> {
  const { connection, close } = await resolveConnection(choice, configuration, context)
  const { name, baseUrl, origin, warnings } = connection
  try {
    const client = openClient(connection, choice.sandbox === true, undefined)
    const found = await client
      .getApplications({ application_ids: [unusedId] })
      .then(() => undefined, errorData)
      .finally(() => client.close())
    return [passed('connection', `"${name}" from ${origin}: ${baseUrl}`, warnings), ...judge(found)]
  } finally {
    await close()
  }
}

function judge(error: ErrorData | undefined): readonly Check[] {
  if (error !== undefined && ![...ofService, 'Unauthorized'].includes(error.code))
    return [failedCall('service', error)]
  return [passed('service', 'answers'), judgeKey('app key', error)]
}

function judgeKey(name: string, error: ErrorData | undefined): Check {
  if (error === undefined) return passed(name, 'known to the service; its permissions are not checked')
  if (error.code === 'Unauthorized') {
    const hint = 'create a new one in the console (Account, APP Key) and configure it in place of the old one'
    return check(name, 'fail', 'the service does not know this key', hint)
  }
  const { message, ...refused } = failedCall(name, error)
  return {
    ...refused,
    status: 'warn',
    message: `known to the service, but a look-up was refused: ${message}`,
  }
}

/** Sends a HEAD to the address, which changes nothing: any answer but a refused log-in will do. */
async function checkHttp(
  name: string,
  document: HttpConnectionDocument,
  configuration: Configuration,
  context: ProjectContext,
): Promise<Check> {
  const title = `connection ${name}`
  const { connection, warnings } = await openHttpConnection(name, document, configuration, context.io)
  try {
    const action = createActions().find((one) => one.name === 'core/http') as Action
    const call = { action, input: { method: 'HEAD' }, file: undefined, onWait() {} }
    const { error } = await callAlone(context, call, configuration, connection)
    const status = isJsonObject(error?.details) ? error.details['status'] : undefined
    if (error && status === undefined) return failedCall(title, error)
    if (status === 401)
      return check(title, 'fail', `${connection.origin} refuses the log-in: HTTP 401`, ...warnings)
    const answer = status === undefined ? '' : ` (HTTP ${status} to a HEAD of its address)`
    return passed(title, `${connection.origin} answers${answer}`, warnings)
  } finally {
    await connection.close()
  }
}
