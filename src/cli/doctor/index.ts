/** `opsbook doctor`: checks this machine and the connection, and advises what to do. */
import { openEmbeddedEngine } from '../../engine/embedded/index.ts'
import { explainMissingPackages } from '../../engine/index.ts'
import { chooseDataDir } from '../shared/configuration/data-dir.ts'
import type { Configuration } from '../shared/configuration/read-configuration.ts'
import { answer, answerJson, type CommandContext } from '../shared/context.ts'
import { chooseEngine } from '../shared/engine/choose-engine.ts'
import { type ExitCode, exitCodes } from '../shared/exit-codes.ts'
import { columns } from '../shared/terminal/columns.ts'
import type { Paint } from '../shared/terminal/paint.ts'
import { printableLine } from '../shared/terminal/printable.ts'
import { type Check, type DoctorOptions, failedCheck } from './check.ts'

import { checkConnection, checkOtherConnections } from './check-connection.ts'
import {
  checkCertificates,
  checkCommands,
  checkConfiguration,
  checkDataDir,
  checkHttp,
  checkNode,
  checkProxies,
  checkSecrets,
} from './check-machine.ts'
import { checkNotices } from './check-notices.ts'
import { checkRunbooks } from './check-runbooks.ts'
import { checkCallbacks, checkPolicies, checkServe, checkTriggers } from './check-serve.ts'
import { checkTurns } from './check-turns.ts'
import { type Needs, readNeeds } from './read-needs.ts'

/** Makes all checks in order. A failed check never hides a later one that can still be made. */
export async function doctor(context: CommandContext, options: DoctorOptions): Promise<ExitCode> {
  const document = await readDoctorDocument(context, options)
  if (options.output === 'json') answerJson(context, document)
  else answer(context, lines(document.checks, context.paint))
  if (document.ok) return exitCodes.succeeded
  const failed = document.checks.filter(({ status }) => status === 'fail')
  return failed.every(({ isOfRuns }) => isOfRuns) ? exitCodes.failed : exitCodes.environment
}

/** The document of `doctor --output json`. */
export interface DoctorDocument {
  readonly ok: boolean
  readonly version: string
  readonly checks: readonly Check[]
}

/** Makes all checks. */
export async function readDoctorDocument(
  context: CommandContext,
  options: DoctorOptions,
): Promise<DoctorDocument> {
  const { check: configurationCheck, configuration } = await checkConfiguration(context.io)
  const checks: readonly Check[] = [
    checkNode(process.versions.node),
    configurationCheck,
    checkProxies(context.io.env),
    ...checkCertificates(context.io),
    ...(configuration ? await checkConfigured(options, configuration, context) : skippedChecks()),
  ]
  return { ok: checks.every(({ status }) => status !== 'fail'), version: context.version, checks }
}

/** The checks that depend on `opsbook.yaml`. */
async function checkConfigured(
  options: DoctorOptions,
  configuration: Configuration,
  context: CommandContext,
): Promise<readonly Check[]> {
  const { io } = context
  const needs = await readNeeds(configuration, io)
  const ofDataDir = await checkDataDir(options.dataDir, configuration, io)
  const isDatabaseUsable = ofDataDir.some(({ name, status }) => name === 'database' && status === 'ok')
  return [
    ...ofDataDir,
    checkHttp(configuration),
    ...checkCommands(configuration),
    ...(await checkSecrets(configuration, needs, io)),
    ...(await checkNotices(options.dataDir, configuration, io, isDatabaseUsable)),
    ...(await checkServe(options, configuration, io)),
    ...(await checkServedConsole(options, configuration, context)),
    ...(await checkRunbooks(options, configuration, needs, context)),
    ...checkTriggers(configuration, needs),
    ...checkPolicies(configuration, needs),
    ...(await checkCallbacks(options, configuration, needs, io)),
    ...(await checkConnection(options, configuration, needs, context)),
    ...(await checkFurther(options, configuration, needs, context)),
    ...(await checkEngine(options, configuration, context)),
  ]
}

/** The connections that no flag has chosen: all others of the service, and those to other systems. */
async function checkFurther(
  options: DoctorOptions,
  configuration: Configuration,
  needs: Needs,
  context: CommandContext,
): Promise<readonly Check[]> {
  if (options.sandbox || options.connection !== undefined) return []
  const { checkHttpConnections } = await import('./check-http-connections.ts')
  return [
    ...(await checkOtherConnections(options, configuration, needs, context)),
    ...(await checkHttpConnections(configuration, needs, context.io)),
  ]
}

/** Loads the console only if there is one. */
async function checkServedConsole(
  options: DoctorOptions,
  configuration: Configuration,
  context: CommandContext,
): Promise<readonly Check[]> {
  if (configuration.document.console === undefined) return []
  const { checkConsole } = await import('./check-console.ts')
  return checkConsole(options, configuration, context)
}

/** The checks that need a valid configuration, as skipped. */
function skippedChecks(): readonly Check[] {
  return ['data directory', 'http', 'secrets', 'connection'].map((name) => ({
    name,
    status: 'skipped',
    message: 'not checked: the configuration is invalid',
  }))
}

/** The runs of the data directory that wait to begin. */
async function checkQueued(
  dataDir: string | undefined,
  configuration: Configuration,
  io: CommandContext['io'],
): Promise<readonly Check[]> {
  try {
    const engine = openEmbeddedEngine(chooseDataDir(dataDir, configuration, io))
    try {
      return await checkTurns(engine)
    } finally {
      await engine.close()
    }
  } catch {
    // The check of the data directory names what is wrong with it.
    return []
  }
}

/** Loads the packages of Temporal only if that engine is configured. */
async function checkEngine(
  { engine, dataDir }: DoctorOptions,
  configuration: Configuration,
  { io }: CommandContext,
): Promise<readonly Check[]> {
  if (chooseEngine(engine, configuration, io) === 'embedded') return checkQueued(dataDir, configuration, io)
  try {
    const { checkTemporal } = await import('./check-temporal.ts')
    return await checkTemporal(dataDir, configuration, io)
  } catch (error) {
    return [failedCheck('temporal', explainMissingPackages(error))]
  }
}

function lines(checks: readonly Check[], paint: Paint): readonly string[] {
  const colours = { ok: paint.green, warn: paint.yellow, fail: paint.red, skipped: paint.dim }
  const table = columns(
    checks.map(({ status, name, message }) => [
      status === 'skipped' ? '-' : status,
      name,
      printableLine(message),
    ]),
    (cell, row, column) =>
      column === 0 ? colours[checks[row]?.status ?? 'ok'](cell) : column === 1 ? paint.bold(cell) : cell,
  )
  const indent = ' '.repeat(6)
  const failed = checks.filter(({ status }) => status === 'fail').length
  const warned = checks.filter(({ status }) => status === 'warn').length
  const verdict =
    failed > 0
      ? paint.red(`${failed} of ${checks.length} checks failed`)
      : warned > 0
        ? paint.yellow(`all checks passed, with ${warned} warning${warned === 1 ? '' : 's'}`)
        : paint.green('all checks passed')
  return [
    ...table.flatMap((line, row) => [
      line,
      ...(checks[row]?.hints ?? []).map((hint) => `${indent}${paint.cyan('→')} ${hint}`),
    ]),
    '',
    verdict,
  ]
}
