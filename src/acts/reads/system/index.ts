/** The checks of this machine and its connections. */
import type { Check, System } from '../../../documents/index.ts'
import { findServing } from '../../../engine/embedded/index.ts'
import { explainMissingPackages } from '../../../engine/index.ts'
import { type Configuration, chooseDataDir } from '../../../project/configuration/index.ts'
import type { ServiceChoice } from '../../../project/connections/index.ts'
import { chooseEngine } from '../../../project/engine/index.ts'
import { type EngineFlags, isSandboxName, type ProjectContext } from '../../../project/index.ts'
import { check, failedCheck } from './check.ts'
import { checkConnections } from './check-connections.ts'
import { checkHooks, checkNotices, checkServe } from './check-hooks.ts'
import { checkCertificates, checkConfigurationFile, checkDataDir, checkSecrets } from './check-machine.ts'
import { readNeeds } from './read-needs.ts'

/** What is checked: the engine and the connection that the flags name. */
export interface SystemOptions extends ServiceChoice, EngineFlags {}

/** Makes all checks. */
export async function readSystem(context: ProjectContext, options: SystemOptions): Promise<System> {
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
  options: SystemOptions,
  configuration: Configuration,
  context: ProjectContext,
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
async function checkServer(configuration: Configuration, { io }: ProjectContext): Promise<readonly Check[]> {
  try {
    const { checkTemporal } = await import('./check-temporal.ts')
    return await checkTemporal(configuration, io)
  } catch (error) {
    return [failedCheck('temporal', explainMissingPackages(error))]
  }
}
