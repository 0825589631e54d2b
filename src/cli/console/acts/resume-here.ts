import { type CompareHere, ConsoleError, type ResumeHere } from '../../../console/server/index.ts'
import type { Identity } from '../../../core/events.ts'
import type { JsonObject, JsonSchema, JsonValue } from '../../../core/json.ts'
import { createMask } from '../../../core/mask/index.ts'
import type { Plan } from '../../../core/plan/index.ts'
import { type RunRecord, type RunState, refuseEnded } from '../../../core/record/index.ts'
import type { ResumeChanges, ResumeComparison } from '../../../core/resume/index.ts'
import { type Compared, maskDocument, type Resumed } from '../../../documents/index.ts'
import type { Engine } from '../../../engine/index.ts'
import { checkInputs } from '../../../load/index.ts'
import { loadActions } from '../../../project/actions/index.ts'
import { CommandError } from '../../../project/index.ts'
import { findRun, learnSecrets } from '../../../project/records/index.ts'
import { loadPlan } from '../../../project/runbooks/index.ts'
import { refuseChoices, refusePaused } from '../../resume/index.ts'
import type { CommandContext } from '../../shared/context.ts'
import { findOwnRunbook } from '../runbooks.ts'
import { readForm } from './read-form.ts'
import { holdsSensitive, previewWordOf } from './word-of.ts'

/** Resumes a run where runs are executed. Resolves once it has begun, or waits for its turn. */
export type ResumeRun = (
  runId: string,
  how: { readonly by: Identity; readonly changes?: ResumeChanges },
) => Promise<void>

interface Surroundings {
  readonly context: CommandContext
  readonly engine: Engine
  readonly resume: ResumeRun
}

interface ComparedRun {
  readonly comparison: ResumeComparison
  readonly changes: ResumeChanges | undefined
  readonly shown: string
  /** What people see of it. */
  readonly document: Compared
}

/** Compares a run as `opsbook resume --dry-run` does. */
export async function compareHere(
  run: RunState,
  given: CompareHere,
  surroundings: Omit<Surroundings, 'resume'>,
): Promise<Compared> {
  return (await compareRun(run, given, surroundings)).document
}

/** Resumes a run as `opsbook resume` does, if its comparison is still the one that was shown. */
export async function resumeHere(
  run: RunState,
  { shown, ...given }: ResumeHere,
  by: Identity,
  surroundings: Surroundings,
): Promise<Resumed> {
  const compared = await compareRun(run, given, surroundings)
  if (compared.shown !== shown)
    throw new ConsoleError({
      status: 409,
      code: 'InvalidInput',
      detail: `what a resume of ${run.run_id} would do has changed since it was shown`,
      hint: 'look at the comparison as it is now',
      more: compared.document,
    })
  refuseChoices(compared.comparison)
  const { changes } = compared
  await surroundings.resume(run.run_id, { by, ...(changes === undefined ? {} : { changes }) })
  return { run_id: run.run_id, by }
}

async function compareRun(
  { run_id: runId, status }: RunState,
  given: CompareHere,
  { context, engine }: Omit<Surroundings, 'resume'>,
): Promise<ComparedRun> {
  refusePaused(runId, status)
  refuseEnded(runId, status)
  const record = await findRun(runId, engine)
  const actions = await loadActions(context.io)
  const newest = await loadNewest(record, context, given.newest === true)
  const plan = given.newest === true && newest ? newest : record.plan
  const changes = readChanges(given, plan, record)
  const comparison = await engine.compareResume(runId, changes, { actions, checkInputs })
  const mask = createMask()
  await learnSecrets(record, engine, mask)
  // Another resume since then would be continued, and not this one.
  const facts = [comparison, changes?.inputs ?? null, record.resumes.length, status, overridesOf(given)]
  const shown = previewWordOf(facts as unknown as JsonValue, holdsSensitive(plan, changes?.inputs ?? {}))
  return {
    comparison,
    changes,
    shown,
    document: {
      shown,
      comparison: maskDocument(mask, comparison),
      inputs: (plan.inputs ?? { type: 'object', properties: {} }) satisfies JsonSchema,
      ...(newest === undefined || newest.hash === record.plan.hash ? {} : { has_newer: true as const }),
    },
  }
}

/** The runbook of a run as its file is now. Undefined: there is none by its name, or it is broken and not asked for. */
async function loadNewest(
  { runbook }: RunRecord,
  context: CommandContext,
  isAsked: boolean,
): Promise<Plan | undefined> {
  try {
    const { file } = await findOwnRunbook(runbook, context)
    return await loadPlan(file, await loadActions(context.io), context, { isQuiet: true })
  } catch (error) {
    if (isAsked || !(error instanceof CommandError)) throw error
    return undefined
  }
}

function readChanges(given: CompareHere, plan: Plan, before: RunRecord): ResumeChanges | undefined {
  const { newest, fields } = given
  const inputs = fields === undefined ? given.inputs : readForm('input', plan.inputs, fields)
  const changes = {
    ...overridesOf(given),
    ...(newest === true && plan !== before.plan ? { plan } : {}),
    ...(inputs === undefined || isEmpty(inputs) ? {} : { inputs }),
  }
  return isEmpty(changes) ? undefined : changes
}

function overridesOf({ from, repeat, keep, skip }: CompareHere) {
  return {
    ...(from === undefined ? {} : { from }),
    ...(repeat === undefined || repeat.length === 0 ? {} : { repeat }),
    ...(keep === undefined || keep.length === 0 ? {} : { keep }),
    ...(skip === undefined || skip.length === 0 ? {} : { skip }),
  }
}

function isEmpty(object: JsonObject | object): boolean {
  return Object.keys(object).length === 0
}
