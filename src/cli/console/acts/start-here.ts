import { insideSandbox, requireSecrets } from '../../../actions/index.ts'
import { ConsoleError, type PlanHere, type StartHere } from '../../../console/server/index.ts'
import type { Identity } from '../../../core/events.ts'
import type { JsonValue } from '../../../core/json.ts'
import type { PlanDocument, Planned, Started } from '../../../documents/index.ts'
import { findServing } from '../../../engine/embedded/index.ts'
import { loadActions, needsDefaultConnection } from '../../../project/actions/index.ts'
import { resolveRunService } from '../../../project/clients/index.ts'
import { chooseDataDir, readRunConfiguration } from '../../../project/configuration/index.ts'
import { createSecretStore } from '../../../project/connections/index.ts'
import { chooseEngine } from '../../../project/engine/index.ts'
import { type EngineFlags, isSandboxName } from '../../../project/index.ts'
import { checkRunInputs, loadPlan } from '../../../project/runbooks/index.ts'
import { readPlanDocument } from '../../plan/index.ts'
import type { CommandContext } from '../../shared/context.ts'
import { type CheckedStart, requestStart } from '../../start/index.ts'
import { findOwnRunbook } from '../runbooks.ts'
import { readForm } from './read-form.ts'
import { holdsSensitive, previewWordOf } from './word-of.ts'

interface Surroundings {
  readonly context: CommandContext
  /** The flags that find the engine again. */
  readonly flags: EngineFlags
}

/** A run that could be started, and the word of its preview. */
interface PlannedStart {
  readonly checked: CheckedStart
  readonly document: PlanDocument
  readonly shown: string
  /** Of the `serve` that executes it. Left out: workers do, or it has none. */
  readonly connection?: string
}

/** Previews a run as `opsbook plan` does. */
export async function planHere(name: string, given: PlanHere, surroundings: Surroundings): Promise<Planned> {
  const { document, shown } = await planRun(name, given, surroundings)
  return { shown, plan: document }
}

/** Starts a run as `opsbook start` does, if its preview is still the one that was shown. One key starts one run. */
export async function startHere(
  { runbook, shown, key, ...given }: StartHere,
  by: Identity,
  surroundings: Surroundings,
): Promise<Started> {
  const planned = await planRun(runbook, given, surroundings)
  if (shown !== undefined && planned.shown !== shown)
    throw new ConsoleError({
      status: 409,
      code: 'InvalidInput',
      detail: `the plan of ${planned.checked.plan.name} has changed since it was shown: its file, the configuration or the inputs${
        holdsSensitive(planned.checked.plan, planned.checked.inputs) ? ', or serve was started again' : ''
      }`,
      hint: 'look at the plan as it is now',
      more: { shown: planned.shown, plan: planned.document },
    })
  await requireWhatItNeeds(planned, surroundings)
  const { context, flags } = surroundings
  const named = { ...flags, ...(key === undefined ? {} : { id: key }) }
  const { runId, isJoined, said, missing } = await requestStart(context, named, { ...planned.checked, by })
  const notes = [...said, ...(missing === undefined ? [] : [missing])]
  return { run_id: runId, is_joined: isJoined, ...(notes.length === 0 ? {} : { notes }) }
}

async function planRun(
  name: string,
  { inputs, fields }: PlanHere,
  { context, flags }: Surroundings,
): Promise<PlannedStart> {
  const { io } = context
  const { file } = await findOwnRunbook(name, context)
  const configuration = await readRunConfiguration(io)
  const isEmbedded = chooseEngine(flags.engine, configuration, io) === 'embedded'
  const connection = isEmbedded
    ? findServing(chooseDataDir(flags.dataDir, configuration, io))?.connection
    : undefined
  const isSandbox = isSandboxName(connection)
  const actions = await loadActions(io)
  const plan = await loadPlan(file, actions, context, { sandbox: isSandbox })
  const given = fields === undefined ? (inputs ?? {}) : readForm('input', plan.inputs, fields)
  const checked = checkRunInputs(plan, given)
  const { document } = readPlanDocument({
    plan,
    inputs: given,
    actions,
    notLoaded: [],
    configuration,
    isSandbox,
    io,
  })
  const facts = [plan.hash, checked, configuration.document, connection ?? null]
  return {
    checked: { named: plan.name, plan, inputs: checked, actions, configuration },
    document,
    shown: previewWordOf(facts as JsonValue, holdsSensitive(plan, checked)),
    ...(connection === undefined ? {} : { connection }),
  }
}

/** Checks the secrets and the connection as `opsbook run` does, where this process executes the run. */
async function requireWhatItNeeds(
  { checked, connection }: PlannedStart,
  { context, flags }: Surroundings,
): Promise<void> {
  const { plan, inputs, actions, configuration } = checked
  if (chooseEngine(flags.engine, configuration, context.io) !== 'embedded') return
  const allowed = connection === undefined || !isSandboxName(connection) ? actions : insideSandbox(actions)
  await requireSecrets({ plan, inputs, actions: allowed }, createSecretStore(configuration, context.io))
  if (isSandboxName(connection)) return
  const choice = connection === undefined ? {} : { connection }
  await resolveRunService(choice, needsDefaultConnection(plan, actions), configuration, context)
}
