import { errorRule } from '../../core/errors.ts'
import { type ErrorData, errorData } from '../../core/run-error.ts'
import { CommandError } from '../command-error.ts'
import type { DoctorOptions } from '../commands/doctor.ts'
import type { Configuration, Connection } from '../configuration/index.ts'
import type { CommandContext } from '../context.ts'
import { chooseEngine } from '../engine/choose-engine.ts'
import { exitCodes } from '../exit-codes.ts'
import { openClient, resolveConnection } from '../open-service.ts'
import { type Check, failedCheck } from './check.ts'
import { checkClock } from './check-clock.ts'

/** An id that no application has: looking it up changes nothing and needs no permission beyond a valid key. */
const nobody = 'opsbook-doctor'

/** The connection: is it configured, does the service answer, does it know the key, do the clocks agree. */
export async function checkConnection(
  options: DoctorOptions,
  configuration: Configuration,
  context: CommandContext,
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
    return [isLack(error) && isForWorkers(options, configuration, context) ? asNote(failed) : failed]
  }
}

/** What is configured is right as far as it goes; something is missing on this machine. */
function isLack(error: unknown): boolean {
  return error instanceof CommandError && error.exitCode === exitCodes.environment
}

/** Nobody asked for a connection, and runs on Temporal take that of their workers. */
function isForWorkers(
  { connection, engine }: DoctorOptions,
  configuration: Configuration,
  { io }: CommandContext,
): boolean {
  return connection === undefined && chooseEngine(engine, configuration, io) === 'temporal'
}

function asNote({ name, message, hints = [] }: Check): Check {
  return { name, status: 'warn', message: `${message}: only workers need it`, hints }
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

/** Looks up an application that does not exist. Answers with what went wrong, or undefined. */
async function probe(connection: Connection, isSandbox: boolean): Promise<ErrorData | undefined> {
  const client = openClient(connection, isSandbox, undefined)
  try {
    await client.getApplications({ application_ids: [nobody] })
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
      { name: 'app key', status: 'ok', message: 'known to the service; what it may do is not checked' },
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
        hints: ['make a new one in the console (Account, APP Key) and configure it where the old one stood'],
      },
    ]
  }
  // The service spoke for itself: it knows the key, or would have said otherwise.
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
