/** `opsbook doctor`: checks this machine and its connections, and advises what to do. */

import type { Check, System } from '../../documents/index.ts'
import { findServing } from '../../engine/embedded/index.ts'
import { explainMissingPackages } from '../../engine/index.ts'
import { type Configuration, chooseDataDir } from '../../project/configuration/index.ts'
import { chooseEngine } from '../../project/engine/index.ts'
import { isSandboxName, type Paint } from '../../project/index.ts'
import { printableLine } from '../../project/text/index.ts'
import { answer, answerJson, type CommandContext } from '../shared/context.ts'
import { type ExitCode, exitCodes } from '../shared/exit-codes.ts'
import { columns } from '../shared/terminal/columns.ts'
import { check, type DoctorOptions, failedCheck } from './check.ts'
import { checkConnections } from './check-connections.ts'
import { checkHooks, checkNotices, checkServe } from './check-hooks.ts'
import { checkCertificates, checkConfigurationFile, checkDataDir, checkSecrets } from './check-machine.ts'
import { readNeeds } from './read-needs.ts'

/** Makes all checks in order. A failed check never hides a later one that can still be made. */
export async function doctor(context: CommandContext, options: DoctorOptions): Promise<ExitCode> {
  const document = await readDoctorDocument(context, options)
  if (options.output === 'json') answerJson(context, document)
  else answer(context, lines(document.checks, context.paint))
  if (document.ok) return exitCodes.succeeded
  const failed = document.checks.filter(({ status }) => status === 'fail')
  return failed.every(({ isOfRuns }) => isOfRuns) ? exitCodes.failed : exitCodes.environment
}

/** Makes all checks. */
export async function readDoctorDocument(context: CommandContext, options: DoctorOptions): Promise<System> {
  const { check: ofConfiguration, configuration } = await checkConfigurationFile(context.io)
  const checks = [
    ofConfiguration,
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
  const isEmbedded = chooseEngine(options.engine, configuration, io) === 'embedded'
  const dataDir = chooseDataDir(options.dataDir, configuration, io)
  const ofDataDir = await checkDataDir(dataDir)
  const readable = ofDataDir.some(({ name, status }) => name === 'database' && status === 'ok')
    ? dataDir
    : undefined
  const needs = await readNeeds(configuration, io)
  const isInSandbox = readable !== undefined && isSandboxName(findServing(readable)?.connection)
  const unneeded = isInSandbox ? '"opsbook serve" uses its sandbox' : needs.default
  return [
    ...ofDataDir,
    ...(needs.problem === undefined ? [] : [failedCheck('runbooks', needs.problem)]),
    ...(await checkSecrets(configuration, needs, io)),
    ...(await checkHooks(configuration, io)),
    ...(isEmbedded ? checkServe(configuration, dataDir) : []),
    ...(await checkNotices(readable, configuration, io)),
    ...(await checkConnections(
      options,
      configuration,
      { ...needs, default: isEmbedded ? unneeded : 'only workers need it' },
      context,
    )),
    ...(isEmbedded ? [] : await checkServer(configuration, context)),
  ]
}

/** The checks that need a valid configuration, as skipped. */
function skippedChecks(): readonly Check[] {
  return ['data directory', 'secrets', 'connection'].map((name) =>
    check(name, 'skipped', 'not checked: the configuration is invalid'),
  )
}

/** Loads the packages of Temporal only if that engine is configured. */
async function checkServer(configuration: Configuration, { io }: CommandContext): Promise<readonly Check[]> {
  try {
    const { checkTemporal } = await import('./check-temporal.ts')
    return await checkTemporal(configuration, io)
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
