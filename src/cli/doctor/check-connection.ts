import { Agent, EnvHttpProxyAgent, request } from 'undici'
import { errorRule } from '../../core/errors.ts'
import { type ErrorData, errorData } from '../../core/run-error.ts'
import { findServing } from '../../engine/embedded/index.ts'
import { CommandError } from '../shared/command-error.ts'
import type { Connection } from '../shared/configuration/connection.ts'
import { serviceConnections } from '../shared/configuration/connections-schema.ts'
import { chooseDataDir } from '../shared/configuration/data-dir.ts'
import type { Configuration } from '../shared/configuration/read-configuration.ts'
import type { CommandContext } from '../shared/context.ts'
import { chooseEngine } from '../shared/engine/choose-engine.ts'
import { exitCodes } from '../shared/exit-codes.ts'
import { openClient, resolveConnection } from '../shared/open-service.ts'
import { isSandboxName } from '../shared/sandbox-name.ts'
import { durationText } from '../shared/terminal/quantity-text.ts'
import { type Check, type DoctorOptions, failedCheck } from './check.ts'

import type { Needs } from './read-needs.ts'

/** An id that no application has: looking it up changes nothing and needs no permission beyond a valid key. */
const unusedId = 'opsbook-doctor'

/** Checks the connection: its configuration, whether the service answers and knows the key, and the clock. */
export async function checkConnection(
  options: DoctorOptions,
  configuration: Configuration,
  needs: Pick<Needs, 'needsDefault'>,
  context: CommandContext,
  isAsked: boolean = options.connection !== undefined || options.sandbox === true,
): Promise<readonly Check[]> {
  try {
    const open = await resolveConnection(options, configuration, context)
    try {
      return await checkOpen(open.connection, options.sandbox === true)
    } finally {
      await open.close()
    }
  } catch (error) {
    const failed = failedCheck('connection', error)
    if (!isLack(error)) return [failed]
    if (!isAsked && isServedBySandbox(options, configuration, context))
      return [
        { name: 'connection', status: 'ok', message: 'none is configured; "opsbook serve" uses its sandbox' },
      ]
    if (!isAsked && isForWorkers(options, configuration, context))
      return [asNote(failed, 'only workers need it')]
    return [isAsked || needs.needsDefault ? failed : asNote(failed, 'no runbook here needs it')]
  }
}

/** Checks the connections of the service that steps use by name alone. */
export async function checkOtherConnections(
  options: DoctorOptions,
  configuration: Configuration,
  { connections }: Pick<Needs, 'connections'>,
  context: CommandContext,
): Promise<readonly Check[]> {
  const names = Object.keys(serviceConnections(configuration.document.connections))
  const others = names.filter((name) => name !== 'default' && names.length > 1)
  const checks = await Promise.all(
    others.map(async (name) => {
      const needs = { needsDefault: connections.has(name) }
      const found = await checkConnection(
        { ...options, connection: name },
        configuration,
        needs,
        context,
        false,
      )
      return found
        .filter((check) => check.name !== 'clock')
        .map((check) => ({ ...check, name: `${check.name} ${name}` }))
    }),
  )
  return checks.flat()
}

/** Whether the configuration is valid, but something is missing on this machine. */
function isLack(error: unknown): boolean {
  return error instanceof CommandError && error.exitCode === exitCodes.environment
}

/** Whether `serve` executes the runs of the data directory against a sandbox of its own. */
function isServedBySandbox(
  options: DoctorOptions,
  configuration: Configuration,
  { io }: CommandContext,
): boolean {
  if (chooseEngine(options.engine, configuration, io) === 'temporal') return false
  try {
    return isSandboxName(findServing(chooseDataDir(options.dataDir, configuration, io))?.connection)
  } catch {
    // The check of the data directory names what is wrong with it.
    return false
  }
}

/** Whether only workers need a connection: runs execute on Temporal. */
function isForWorkers(
  { engine }: DoctorOptions,
  configuration: Configuration,
  { io }: CommandContext,
): boolean {
  return chooseEngine(engine, configuration, io) === 'temporal'
}

function asNote({ name, message, hints = [] }: Check, why: string): Check {
  return { name, status: 'warn', message: `${message}: ${why}`, hints }
}

async function checkOpen(connection: Connection, isSandbox: boolean): Promise<readonly Check[]> {
  const { name, baseUrl, origin, warnings } = connection
  const configured: Check = {
    name: 'connection',
    status: warnings.length > 0 ? 'warn' : 'ok',
    message: `"${name}" from ${origin}: ${baseUrl}`,
    hints: warnings,
  }
  const error = await probe(connection, isSandbox)
  const judged = judgeProbe(error)
  const isReached = judged.some((check) => check.name === 'service' && check.status === 'ok')
  const clock = isReached ? await checkClock(baseUrl, isSandbox) : undefined
  return [configured, ...judged, ...(clock === undefined ? [] : [clock])]
}

/** Looks up an application that does not exist. Returns the error, or undefined. */
async function probe(connection: Connection, isSandbox: boolean): Promise<ErrorData | undefined> {
  const client = openClient(connection, isSandbox, undefined)
  try {
    await client.getApplications({ application_ids: [unusedId] })
    return undefined
  } catch (error) {
    return errorData(error)
  } finally {
    await client.close()
  }
}

function judgeProbe(error: ErrorData | undefined): readonly Check[] {
  const reached: Check = { name: 'service', status: 'ok', message: 'answers' }
  if (error === undefined)
    return [
      reached,
      { name: 'app key', status: 'ok', message: 'known to the service; its permissions are not checked' },
    ]
  const { code, message } = error
  const hints = [errorRule(code).next]
  if (code === 'Unauthorized') {
    return [
      reached,
      {
        name: 'app key',
        status: 'fail',
        message: 'the service does not know this key',
        hints: [
          'create a new one in the console (Account, APP Key) and configure it in place of the old one',
        ],
      },
    ]
  }
  // These answers come from the service itself, which has accepted the key.
  const isAnswer = [
    'AccessDenied',
    'ResourceNotFound',
    'InvalidParameter',
    'RequestTooFrequently',
    'NoLicense',
  ].includes(code)
  if (isAnswer) {
    return [
      reached,
      {
        name: 'app key',
        status: 'warn',
        message: `known to the service, but a look-up was refused: ${code}: ${message}`,
        hints,
      },
    ]
  }
  return [{ name: 'service', status: 'fail', message: `${code}: ${message}`, hints }]
}

const timeLimitMs = 10_000
/** The header counts whole seconds, and the request takes time. */
const fineMs = 5000
const wrongMs = 60_000

/** Compares the clock of this machine with that of the service. Undefined if its answer has no date. */
async function checkClock(baseUrl: string, isSandbox: boolean): Promise<Check | undefined> {
  const dispatcher = isSandbox ? new Agent() : new EnvHttpProxyAgent()
  try {
    const sentAt = Date.now()
    const { headers, body } = await request(baseUrl, { dispatcher, signal: AbortSignal.timeout(timeLimitMs) })
    const answeredAt = Date.now()
    await body.dump()
    const theirs = Date.parse(String(headers['date']))
    return Number.isNaN(theirs) ? undefined : judge((sentAt + answeredAt) / 2 - (theirs + 500))
  } catch {
    // The check of the service has reported the reason.
    return undefined
  } finally {
    await dispatcher.destroy()
  }
}

function judge(differenceMs: number): Check {
  const name = 'clock'
  const far = Math.abs(differenceMs)
  if (far <= fineMs) return { name, status: 'ok', message: 'agrees with the service' }
  const message = `this machine is ${durationText(far)} ${differenceMs > 0 ? 'ahead of' : 'behind'} the service`
  const hints = ['set the clock by NTP; times in logs and rate limits go wrong otherwise']
  return { name, status: far > wrongMs ? 'fail' : 'warn', message, hints }
}
