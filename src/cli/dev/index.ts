/** `opsbook dev`: everything that runs on Temporal need, on one machine, for trying things. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { RunbookError } from '../../core/run-error.ts'
import { type FileLock, isBusy, lockFile } from '../../engine/file-lock.ts'
import { registerSearchAttributes } from '../../engine/temporal/client/register-search-attributes.ts'
import { connectClient } from '../../engine/temporal/connection.ts'
import { searchAttributes } from '../../engine/temporal/messages.ts'
import { type DevServer, startDevServer } from '../../engine/temporal/server/index.ts'
import type { ProgramEnd } from '../../engine/temporal/server/spawn-guarded.ts'
import { CommandError } from '../command-error.ts'
import type { DevFlags } from '../commands/dev.ts'
import {
  type Configuration,
  chooseDataDir,
  prepareDataDir,
  readRunConfiguration,
} from '../configuration/index.ts'
import { answer, type CommandContext, tell } from '../context.ts'
import { readTemporalSettings } from '../engine/temporal-settings.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { printableLine } from '../terminal/printable.ts'
import { startConfiguredWorker } from '../worker/start-configured-worker.ts'

/** Those of the server's own program, so that a second `dev` finds them taken, and others. */
const usualPorts = { server: 7233, ui: 8233 } as const

/** Runs all of it until SIGINT or SIGTERM. The lines on stdout are what other commands need. */
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
  const stopped = new Promise<void>((stop) => {
    // Listens on until the end: a second press of Ctrl-C does not spoil a clean exit.
    io.onStopSignal(() => stop())
  })
  const server = await startDevServer({
    environment: io.env,
    tell: (line) => tell(context, line),
    searchAttributes,
    databaseFile,
    hasUi: true,
    usualPorts,
  })
  let end: ProgramEnd | undefined
  try {
    const settings = { ...readTemporalSettings(configuration, io), address: server.address }
    await registerOn(settings)
    const worker = await startConfiguredWorker(
      context,
      { sandbox: true, allowOutside: options.allowOutside === true },
      { configuration, settings, dataDir },
    )
    try {
      answer(context, [`export TEMPORAL_ADDRESS=${server.address}`, 'export OPSBOOK_ENGINE=temporal'])
      tell(context, welcome(server, dataDir, context))
      end = (await Promise.race([stopped, worker.ended, server.ended])) ?? undefined
    } finally {
      await worker.stop()
    }
  } finally {
    await server.stop()
  }
  if (end !== undefined) throw serverEnded(end)
  return exitCodes.succeeded
}

/** How long another process may be in the way that only looks. */
const lockPatienceMs = 500

/** Makes this process the only `opsbook dev` of the data directory: two servers would write to one database. */
function takeDevLock(dataDir: string): FileLock {
  try {
    return lockFile(join(dataDir, 'dev.lock'), lockPatienceMs)
  } catch (cause) {
    if (!isBusy(cause)) throw cause
    throw new RunbookError('RunInUse', `another "opsbook dev" works in ${dataDir}`, {
      cause,
      notSent: true,
      next: 'End it, or name another folder with --data-dir.',
    })
  }
}

/** A server that ran before may know nothing of them. */
async function registerOn(settings: ReturnType<typeof readTemporalSettings>): Promise<void> {
  const client = await connectClient(settings)
  try {
    await registerSearchAttributes({ client, taskQueue: settings.taskQueue })
  } finally {
    await client.connection.close()
  }
}

/** It was neither asked to end nor able to go on: whatever was tried on it has stopped. */
function serverEnded({ exitCode, output }: ProgramEnd): CommandError {
  const how = exitCode === undefined ? 'by a signal' : `exit code ${exitCode}`
  return new CommandError(exitCodes.environment, `the Temporal server has ended (${how})`, {
    // One that was asked to end has only its greeting to show.
    ...(exitCode === 0 || output === '' ? {} : { details: output }),
    hints: ['what it knew is kept: opsbook dev goes on with it'],
  })
}

function welcome(
  { address, uiAddress }: DevServer,
  dataDir: string,
  { errorPaint }: CommandContext,
): readonly string[] {
  return [
    '',
    `A Temporal server is running at ${address}, with a worker and a sandbox. Ctrl-C ends all of it.`,
    ...(uiAddress === undefined ? [] : ['', errorPaint.bold('Look at it in a browser'), `  ${uiAddress}`]),
    '',
    errorPaint.bold('Try it in another terminal, with the two lines above'),
    '  opsbook run diagnose-host --input host=web-01',
    '',
    `Files of runs are in ${printableLine(dataDir)}: OPSBOOK_DATA_DIR names it for commands in another folder.`,
    '',
  ]
}
