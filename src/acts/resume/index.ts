/** Resumes of runs, with changes or without. */

import type { Identity } from '../../core/events.ts'
import type { JsonObject, JsonSchema, JsonValue } from '../../core/json.ts'
import type { Plan } from '../../core/plan/index.ts'
import { type RecordedStatus, type RunRecord, type RunState, refuseEnded } from '../../core/record/index.ts'
import type { ResumeChanges, ResumeComparison } from '../../core/resume/index.ts'
import { RunbookError } from '../../core/run-error.ts'
import { shellWord } from '../../core/text/index.ts'
import { type Compared, maskDocument, type Resumed } from '../../documents/index.ts'
import { checkInputs } from '../../load/index.ts'
import { loadActions } from '../../project/actions/index.ts'
import { CommandError, type OpenProject } from '../../project/index.ts'
import { findRun, maskOf } from '../../project/records/index.ts'
import { loadPlan } from '../../project/runbooks/index.ts'
import { countText } from '../../view/text/index.ts'
import { Outdated } from '../outdated.ts'
import { holdsSensitive, previewWordOf } from '../preview-word.ts'
import { findOwnRunbook } from '../reads/runbooks/index.ts'

/** What a resume does otherwise than the run so far. Steps are named by their paths, or by ids that are unique. */
export interface ResumeWishes {
  readonly from?: string
  readonly repeat?: readonly string[]
  readonly keep?: readonly string[]
  readonly skip?: readonly string[]
  /** Reads new values for inputs, by the schema of the plan that the run resumes with. */
  readonly inputs?: (schema: JsonSchema | undefined) => JsonObject | undefined | Promise<JsonObject>
}

/** A resume to preview. */
export interface PlanResumeAct extends ResumeWishes {
  /** With the runbook as its file is now. */
  readonly newest?: boolean
}

/** A resume where runs are executed. */
export interface ResumeAct extends PlanResumeAct {
  /** The word of the comparison that was shown. */
  readonly shown: string
  readonly by: Identity
}

/** Resumes a run where runs are executed. Resolves once it has begun, or waits in line. */
export type ResumeRun = (
  runId: string,
  how: { readonly by: Identity; readonly changes?: ResumeChanges },
) => Promise<void>

interface ComparedRun {
  readonly comparison: ResumeComparison
  readonly changes: ResumeChanges | undefined
  /** What people see of it. */
  readonly document: Compared
}

/** Compares a run as `opsbook resume --dry-run` does, and names the comparison by its word. Changes nothing. */
export async function planResume(run: RunState, act: PlanResumeAct, project: OpenProject): Promise<Compared> {
  return (await compareRun(run, act, project)).document
}

/** Resumes a run where runs are executed. Throws `Outdated` where its comparison is not the one that was shown. */
export async function requestResume(
  run: RunState,
  { shown, by, ...act }: ResumeAct,
  project: OpenProject,
  resume: ResumeRun,
): Promise<Resumed> {
  const { run_id } = run
  const { changes, comparison, document } = await compareRun(run, act, project)
  if (document.shown !== shown) {
    const message = `what a resume of ${run_id} would do has changed since it was shown`
    const next = 'look at the comparison as it is now'
    throw new Outdated({ code: 'InvalidInput', message, next }, document)
  }
  refuseChoices(comparison)
  await resume(run_id, { by, ...(changes === undefined ? {} : { changes }) })
  return { run_id, by }
}

async function compareRun(
  { run_id: runId, status }: RunState,
  act: PlanResumeAct,
  project: OpenProject,
): Promise<ComparedRun> {
  const { engine, io } = project
  refusePaused(runId, status)
  refuseEnded(runId, status)
  const record = await findRun(runId, engine)
  const actions = await loadActions(io)
  const newest = await loadNewest(record, project, act.newest === true)
  const changed = act.newest === true ? newest : undefined
  const plan = changed ?? record.plan
  const changes = await readChanges(act, record.plan, changed)
  const comparison = await engine.compareResume(runId, changes, { actions, checkInputs })
  const mask = await maskOf(record, engine)
  // Another resume since then would be continued, and not this one.
  const facts = [comparison, changes?.inputs ?? null, record.resumes.length, status, overridesOf(act)]
  return {
    comparison,
    changes,
    document: {
      shown: previewWordOf(facts as unknown as JsonValue, holdsSensitive(plan, changes?.inputs ?? {})),
      comparison: maskDocument(mask, comparison),
      inputs: (plan.inputs ?? { type: 'object', properties: {} }) satisfies JsonSchema,
      ...(newest === undefined || newest.hash === record.plan.hash ? {} : { has_newer: true as const }),
    },
  }
}

/** The runbook of a run as its file is now. Undefined: there is none by its name, or it is broken and not asked for. */
async function loadNewest(
  { runbook }: RunRecord,
  project: OpenProject,
  isAsked: boolean,
): Promise<Plan | undefined> {
  try {
    const { file } = await findOwnRunbook(runbook, project)
    return await loadPlan(file, await loadActions(project.io), project, { isQuiet: true })
  } catch (error) {
    if (isAsked || !(error instanceof CommandError)) throw error
    return undefined
  }
}

/** The changes that are wished, for a run with the plan `before`. `changed`: another plan to resume with. Undefined: none. */
export async function readChanges(
  wishes: ResumeWishes,
  before: Plan,
  changed: Plan | undefined,
): Promise<ResumeChanges | undefined> {
  const inputs = await wishes.inputs?.((changed ?? before).inputs)
  const changes = {
    ...overridesOf(wishes),
    ...(changed === undefined ? {} : { plan: changed }),
    ...(inputs === undefined || Object.keys(inputs).length === 0 ? {} : { inputs }),
  }
  return Object.keys(changes).length === 0 ? undefined : changes
}

function overridesOf({ from, repeat = [], keep = [], skip = [] }: ResumeWishes) {
  return {
    ...(from === undefined ? {} : { from }),
    ...(repeat.length === 0 ? {} : { repeat }),
    ...(keep.length === 0 ? {} : { keep }),
    ...(skip.length === 0 ? {} : { skip }),
  }
}

/** Refuses a paused run: its process still waits for "unpause". */
export function refusePaused(runId: string, status: RecordedStatus): void {
  if (status !== 'paused') return
  throw new RunbookError('RunInUse', `${runId} is paused`, {
    notSent: true,
    next: `Continue it: "opsbook unpause ${runId}".`,
  })
}

/** Throws where a person must first choose for a step. */
export function refuseChoices(comparison: ResumeComparison): void {
  const hints = choiceHints(comparison)
  if (hints.length === 0) return
  const count = countText(hints.length, 'step')
  throw new CommandError(
    'usage',
    `${count} changed after a write was sent: choose --repeat or --keep; nothing was changed`,
    { hints },
  )
}

/** The flags to choose from, for each step that needs a choice. */
export function choiceHints({ steps }: ResumeComparison): readonly string[] {
  return steps
    .filter(({ fate }) => fate === 'needs-choice')
    .map(
      ({ path }) =>
        `${path}: --repeat ${shellWord(path)} executes it again, --keep ${shellWord(path)} keeps its result`,
    )
}
