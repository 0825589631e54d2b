/** `opsbook doctor`: what this machine and the connection are like, and what to do about it. */
import { explainMissingPackages } from '../../engine/temporal/missing-packages.ts'
import type { DoctorOptions } from '../commands/doctor.ts'
import type { Configuration } from '../configuration/index.ts'
import { answer, answerJson, type CommandContext } from '../context.ts'
import { chooseEngine } from '../engine/choose-engine.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { columns } from '../terminal/columns.ts'
import type { Paint } from '../terminal/paint.ts'
import { printableLine } from '../terminal/printable.ts'
import { type Check, failedCheck } from './check.ts'
import { checkConnection } from './check-connection.ts'
import { checkDataDir } from './check-data-dir.ts'
import { checkHttp } from './check-http.ts'
import { checkConfiguration, checkNode, checkProxies } from './check-machine.ts'
import { checkNotices } from './check-notices.ts'
import { checkSecrets } from './check-secrets.ts'
import { checkServe } from './check-serve.ts'
import { checkTriggers } from './check-triggers.ts'

/** Checks everything, one thing after another; a failed check never hides a later one that can still be made. */
export async function doctor(context: CommandContext, options: DoctorOptions): Promise<ExitCode> {
  const { check: configurationCheck, configuration } = await checkConfiguration(context.io)
  const checks: readonly Check[] = [
    checkNode(process.versions.node),
    configurationCheck,
    ...(await checkDataDir(options.dataDir, configuration, context.io)),
    checkProxies(context.io.env),
    checkHttp(configuration),
    ...(await checkSecrets(configuration, context.io)),
    ...(await checkNotices(options.dataDir, configuration, context.io)),
    ...(await checkServe(options, configuration, context.io)),
    ...(await checkTriggers(configuration, context.io)),
    ...(await checkConnection(options, configuration, context)),
    ...(await checkEngine(options, configuration, context)),
  ]
  const failed = checks.filter(({ status }) => status === 'fail')
  const isWell = failed.length === 0
  if (options.output === 'json') answerJson(context, { ok: isWell, version: context.version, checks })
  else answer(context, lines(checks, context.paint))
  if (isWell) return exitCodes.succeeded
  return failed.every(({ isOfRuns }) => isOfRuns) ? exitCodes.failed : exitCodes.environment
}

/** Nothing of Temporal is loaded where nobody uses it. */
async function checkEngine(
  { engine, dataDir }: DoctorOptions,
  configuration: Configuration,
  { io }: CommandContext,
): Promise<readonly Check[]> {
  if (chooseEngine(engine, configuration, io) === 'embedded') return []
  try {
    const { checkTemporal } = await import('./check-temporal.ts')
    return await checkTemporal(dataDir, configuration, io)
  } catch (error) {
    return [failedCheck('temporal', explainMissingPackages(error))]
  }
}

function lines(checks: readonly Check[], paint: Paint): readonly string[] {
  const colours = { ok: paint.green, warn: paint.yellow, fail: paint.red }
  const table = columns(
    checks.map(({ status, name, message }) => [status, name, printableLine(message)]),
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
        ? paint.yellow(`all well, with ${warned} warning${warned === 1 ? '' : 's'}`)
        : paint.green('all well')
  return [
    ...table.flatMap((line, row) => [
      line,
      ...(checks[row]?.hints ?? []).map((hint) => `${indent}${paint.cyan('→')} ${hint}`),
    ]),
    '',
    verdict,
  ]
}
