/** Starts of runs that `serve` or workers execute. */
import { insideSandbox, requireSecrets } from '../../actions/index.ts'
import type { Identity } from '../../core/events.ts'
import { type JsonObject, type JsonSchema, type JsonValue, withoutUndefined } from '../../core/json.ts'
import type { Plan } from '../../core/plan/index.ts'
import { shellWord } from '../../core/text/index.ts'
import type { Planned } from '../../documents/index.ts'
import { findServing, isServed, type QueuedRun, queueRun } from '../../engine/embedded/index.ts'
import { checkInputs } from '../../load/index.ts'
import { loadActions, needsDefaultConnection } from '../../project/actions/index.ts'
import { resolveRunService } from '../../project/clients/index.ts'
import {
  type Configuration,
  chooseDataDir,
  publicUrls,
  readConfiguration,
  readRunConfiguration,
} from '../../project/configuration/index.ts'
import {
  connectionScopeOf,
  createSecretStore,
  requireConnectionName,
} from '../../project/connections/index.ts'
import { chooseEngine } from '../../project/engine/index.ts'
import {
  CommandError,
  type EngineFlags,
  isSandboxName,
  type ProjectContext,
  sandboxName,
} from '../../project/index.ts'
import { checkRunInputs, loadPlan } from '../../project/runbooks/index.ts'
import { locationFlags } from '../../project/text/index.ts'
import { requireDefaults } from '../given-in-advance.ts'
import { Outdated } from '../outdated.ts'
import { holdsSensitive, previewWordOf } from '../preview-word.ts'
import { readPlanDocument } from '../reads/plan/index.ts'
import type { StartedWork } from './start-on-temporal.ts'

/** A run to start. */
export interface StartAct {
  /** The file of the runbook, or its name. */
  readonly runbook: string
  /** Reads the inputs, by the schema that the runbook gives them. */
  readonly inputs: (schema: JsonSchema | undefined) => JsonObject | Promise<JsonObject>
  /** A start with the key of an open run joins that run. */
  readonly key?: string
  readonly connection?: string
  /** Gives approvals and defaults in advance. */
  readonly yes?: boolean
  /**
   * Who starts it.
   * @default the system user of this process
   */
  readonly by?: Identity
  /**
   * This process is the `serve` that executes the run: what the run needs is checked here. A mistake under `notify`
   * refuses the start.
   */
  readonly isHere?: boolean
  /** The word of the preview that was shown. Left out: it starts what it plans. */
  readonly shown?: string
  /** Called before the start, once the runbook and its inputs are checked. */
  readonly onChecked?: (plan: Plan) => void
}

/** A run that `serve` or workers execute. */
export interface RequestedRun {
  readonly runId: string
  /** It is an open run, which has the same key. */
  readonly isJoined: boolean
  /** There are no workers for it. */
  readonly missing?: string | undefined
  /** What happened to the start because of another run. */
  readonly said: readonly string[]
}

/** A run that could be started, all of it checked but its arguments. */
interface CheckedRun extends Pick<StartedWork, 'plan' | 'inputs' | 'actions'> {
  /** The inputs without their defaults. */
  readonly given: JsonObject
  readonly configuration: Configuration
  /** That of the `serve` that executes it. Undefined: another process does, or it has none. */
  readonly connection: string | undefined
}

/** Previews a run as `opsbook plan` does, and names the preview by its word. Changes nothing. */
export async function planStart(
  act: StartAct,
  context: ProjectContext,
  flags: EngineFlags,
): Promise<Planned> {
  return previewOf(await checkStart(act, context, flags), context)
}

/**
 * Starts a run for the `serve` of the data directory, or on the workers. Nothing is started before all checks have
 * passed. Throws `Outdated` where its preview is not the one that was shown.
 */
export async function requestStart(
  act: StartAct,
  context: ProjectContext,
  flags: EngineFlags,
): Promise<RequestedRun> {
  const { io } = context
  const { runbook, isHere, shown, onChecked, key, connection, yes, by } = act
  const run = await checkStart(act, context, flags)
  const { plan, inputs, actions, configuration } = run
  if (isHere) {
    const preview = previewOf(run, context)
    if (shown !== undefined && preview.shown !== shown) throw outdated(run, preview)
    await requireWhatItNeeds(run, context, flags)
  }
  onChecked?.(plan)
  const said: string[] = []
  const work: StartedWork = {
    plan,
    inputs,
    actions,
    dataDir: chooseDataDir(flags.dataDir, configuration, io),
    project: connectionScopeOf(configuration, undefined, io).project,
    say: (text) => void said.push(text),
    ...withoutUndefined({ key, connection }),
    ...(yes ? { approve: 'all' as const } : {}),
    ...(by === undefined ? {} : { by }),
  }
  if (chooseEngine(flags.engine, configuration, io) === 'embedded') {
    if (connection !== undefined) requireConnectionName(connection, configuration)
    const named = isHere ? plan.name : runbook
    return { ...startEmbedded(named, flags, { ...work, ...publicUrls(configuration) }), said }
  }
  // The packages of Temporal are loaded only for that engine.
  const { startOnTemporal } = await import('./start-on-temporal.ts')
  return { ...(await startOnTemporal(context, configuration, work)), said }
}

async function checkStart(
  { runbook, inputs: read, yes, isHere }: StartAct,
  context: ProjectContext,
  { engine, dataDir }: EngineFlags,
): Promise<CheckedRun> {
  const { io } = context
  const configuration = isHere ? await readRunConfiguration(io) : await readConfiguration(io)
  const isServedHere = isHere && chooseEngine(engine, configuration, io) === 'embedded'
  const connection = isServedHere
    ? findServing(chooseDataDir(dataDir, configuration, io))?.connection
    : undefined
  const actions = await loadActions(io)
  const plan = await loadPlan(runbook, actions, context, { sandbox: isSandboxName(connection) })
  const given = await read(plan.inputs)
  const inputs = checkRunInputs(plan, given)
  requireDefaults(plan, inputs, yes === undefined ? {} : { yes })
  return { plan, given, inputs, actions, configuration, connection }
}

function previewOf(
  { plan, given, inputs, actions, configuration, connection }: CheckedRun,
  { io }: ProjectContext,
): Planned {
  const isSandbox = isSandboxName(connection)
  const { document } = readPlanDocument({
    plan,
    inputs: given,
    actions,
    notLoaded: [],
    configuration,
    isSandbox,
    io,
  })
  const facts = [plan.hash, inputs, configuration.document, connection ?? null]
  return { shown: previewWordOf(facts as JsonValue, holdsSensitive(plan, inputs)), plan: document }
}

function outdated({ plan, inputs }: CheckedRun, preview: Planned): Outdated {
  const again = holdsSensitive(plan, inputs) ? ', or serve was started again' : ''
  const message = `the plan of ${plan.name} has changed since it was shown: its file, the configuration or the inputs${again}`
  return new Outdated({ code: 'InvalidInput', message, next: 'look at the plan as it is now' }, preview)
}

/** Checks the secrets and the connection as `opsbook run` does, where this process executes the run. */
async function requireWhatItNeeds(
  { plan, inputs, actions, configuration, connection }: CheckedRun,
  context: ProjectContext,
  { engine }: EngineFlags,
): Promise<void> {
  if (chooseEngine(engine, configuration, context.io) !== 'embedded') return
  const isInSandbox = isSandboxName(connection)
  const allowed = isInSandbox ? insideSandbox(actions) : actions
  await requireSecrets({ plan, inputs, actions: allowed }, createSecretStore(configuration, context.io))
  if (isInSandbox) return
  const choice = connection === undefined ? {} : { connection }
  await resolveRunService(choice, needsDefaultConnection(plan, actions), configuration, context)
}

/** Records the run for the `serve` of the data directory. */
function startEmbedded(
  named: string,
  flags: EngineFlags,
  work: StartedWork & { readonly publicUrl?: string },
): QueuedRun {
  if (!isServed(work.dataDir)) throw notServed(named, flags, work.dataDir)
  refuseOtherProject(work)
  return queueRun({
    ...work,
    checkInputs,
    actions:
      findServing(work.dataDir)?.connection === sandboxName ? insideSandbox(work.actions) : work.actions,
  })
}

function notServed(named: string, flags: EngineFlags, dataDir: string): CommandError {
  return new CommandError('environment', `no "opsbook serve" is running in ${dataDir} to execute the run`, {
    hints: [
      `"${`opsbook serve ${locationFlags(flags)}`.trim()}" starts one`,
      `"opsbook run ${shellWord(named)}" executes the run itself`,
      'on a Temporal server: --engine temporal',
    ],
  })
}

/** Refuses a run if the `serve` of the data directory serves another project, and would not execute it. */
export function refuseOtherProject({
  dataDir,
  project,
}: {
  readonly dataDir: string
  readonly project: string
}): void {
  const serving = findServing(dataDir)
  if (serving?.project === project) return
  const message =
    serving === undefined
      ? `the "opsbook serve" in ${dataDir} is still starting`
      : `the "opsbook serve" in ${dataDir} serves the project ${serving.project}, not ${project}`
  throw new CommandError('environment', message, {
    hints: [
      serving === undefined
        ? 'try again'
        : 'start the run from that project, or name another folder with --data-dir',
    ],
  })
}
