/** `opsbook dev`: a Temporal server, a worker and a sandbox on this machine, to try things out. */

import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { RunbookError } from '../../core/run-error.ts'
import { type FileLock, isBusy, lockFile } from '../../engine/file-lock/index.ts'
import {
  connectClient,
  registerSearchAttributes,
  searchAttributes,
  type TemporalSettings,
} from '../../engine/temporal/client/index.ts'
import {
  type Configuration,
  chooseDataDir,
  prepareDataDir,
  readRunConfiguration,
} from '../../project/configuration/index.ts'
import { CommandError, type DataDirFlags } from '../../project/index.ts'
import { readTemporalSettings } from '../../project/temporal/index.ts'
import { printableLine } from '../../project/text/index.ts'
import { answer, type CommandContext, tell } from '../shared/context.ts'
import { type ExitCode, exitCodes } from '../shared/exit-codes.ts'
import { untilStopped } from '../shared/stop-signals.ts'
import { startConfiguredWorker } from '../worker/start-configured-worker.ts'
import { type ProgramEnd, startDevServer } from './server/index.ts'

/** The flags of `dev`, as the parser hands them over. */
export interface DevFlags extends DataDirFlags {
  readonly fresh?: boolean
  readonly allowOutside?: boolean
}

/** The default ports of the server program. A second `dev` finds them in use, and takes others. */
const usualPorts = { port: 7233, uiPort: 8233 } as const

/** Runs server, worker and sandbox until a stop signal. The lines on stdout are settings for other commands. */
export async function dev(context: CommandContext, options: DevFlags): Promise<ExitCode> {
  const { io } = context
  const configuration = await readRunConfiguration(io)
  const dataDir = chooseDataDir(options.dataDir, configuration, io)
  await prepareDataDir(dataDir)
  const lock = takeDevLock(dataDir)
  try {
    return await devIn(dataDir, configuration, context, options)
  } finally {
    lock.release()
  }
}

async function devIn(
  dataDir: string,
  configuration: Configuration,
  context: CommandContext,
  options: DevFlags,
): Promise<ExitCode> {
  const { io } = context
  const databaseFile = join(dataDir, 'temporal.db')
  if (options.fresh) for (const end of ['', '-wal', '-shm']) await rm(databaseFile + end, { force: true })
  const stopped = untilStopped(io, (line) => tell(context, line))
  const configured = readTemporalSettings(configuration, io)
  // A server that is named is never replaced by another one.
  const isNamed = Boolean(io.env['TEMPORAL_ADDRESS'])
  const started = isNamed
    ? undefined
    : await startDevServer({
        environment: io.env,
        tell: (line) => tell(context, line),
        searchAttributes,
        databaseFile,
        ...usualPorts,
      })
  let end: ProgramEnd | undefined
  try {
    const settings = { ...configured, address: started?.address ?? configured.address }
    await registerOn(settings, isNamed)
    const worker = await startConfiguredWorker(
      context,
      { sandbox: true, allowOutside: options.allowOutside === true },
      { configuration, settings, dataDir },
    )
    try {
      answer(context, [`export TEMPORAL_ADDRESS=${settings.address}`, 'export OPSBOOK_ENGINE=temporal'])
      tell(context, welcome(settings.address, started?.uiAddress, dataDir, context))
      const ends = [stopped, worker.ended, ...(started ? [started.ended] : [])]
      end = (await Promise.race(ends)) ?? undefined
    } finally {
      await worker.stop()
    }
  } finally {
    await started?.stop()
  }
  if (end !== undefined) throw serverEnded(end)
  return exitCodes.succeeded
}

/** How long to wait for a process that only inspects the lock. */
const lockWaitMs = 500

/** Makes this process the only `opsbook dev` of the data directory: two servers would write to one database. */
function takeDevLock(dataDir: string): FileLock {
  try {
    return lockFile(join(dataDir, 'dev.lock'), lockWaitMs)
  } catch (cause) {
    if (!isBusy(cause)) throw cause
    throw new RunbookError('RunInUse', `another "opsbook dev" uses ${dataDir}`, {
      cause,
      notSent: true,
      next: 'Stop it, or name another folder with --data-dir.',
    })
  }
}

/** Registers the search attributes, which a server that was already running may lack. */
async function registerOn(settings: TemporalSettings, isNamed: boolean): Promise<void> {
  const client = await connectClient(settings).catch((cause: unknown) => {
    if (!isNamed || !RunbookError.is(cause) || cause.code !== 'TemporalUnavailable') throw cause
    throw new RunbookError(cause.code, cause.message, {
      cause,
      notSent: true,
      next: 'Start that server, or have one started here: unset TEMPORAL_ADDRESS.',
    })
  })
  try {
    await registerSearchAttributes({ client, taskQueue: settings.taskQueue })
  } finally {
    await client.connection.close()
  }
}

/** The error for a server that ended without being asked to: the runs on it have stopped. */
function serverEnded({ exitCode, output }: ProgramEnd): CommandError {
  const how = exitCode === undefined ? 'by a signal' : `exit code ${exitCode}`
  return new CommandError('environment', `the Temporal server has ended (${how})`, {
    // A server that ended normally has printed nothing but its greeting.
    ...(exitCode === 0 || output === '' ? {} : { details: output }),
    hints: ['its data is kept: "opsbook dev" starts again with it'],
  })
}

function welcome(
  address: string,
  uiAddress: string | undefined,
  dataDir: string,
  { errorPaint }: CommandContext,
): readonly string[] {
  return [
    '',
    `A Temporal server is running at ${address}, with a worker and a sandbox. Ctrl-C stops everything.`,
    ...(uiAddress === undefined ? [] : ['', errorPaint.bold('Open the web UI'), `  ${uiAddress}`]),
    '',
    errorPaint.bold('Try it in another terminal, with the two lines above'),
    '  opsbook run diagnose-host --input host=web-01',
    '',
    `Files of runs are in ${printableLine(dataDir)}. In another folder, set OPSBOOK_DATA_DIR to it.`,
    '',
  ]
}
