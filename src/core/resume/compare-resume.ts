import type { ActionDescription } from '../action.ts'
import type { RunEvent, RunStatus } from '../events.ts'
import { isSameJson, type JsonObject } from '../json.ts'
import { type ReopenedRecord, reopenFailed } from '../record/reopen-failed.ts'
import { withoutPlaces } from './call-names.ts'
import type { ChangedRun, ChosenWork } from './choose-work.ts'
import { type ComparedSteps, compareSteps } from './compare-steps.ts'
import { type DoneBefore, gatherDone } from './done-before.ts'
import type { LeftBehind, StepBefore } from './left-behind.ts'
import { type CountingAttempt, refuseKept, refuseUnresolved } from './refuse-resume.ts'
import { isKeptBy, type Overrides, readOverrides, type StepOverrides } from './resume-changes.ts'
import type { ResumeComparison } from './resume-comparison.ts'
import type { ReusableResult } from './reusable-results.ts'

/** What a run has left behind, wherever it is kept, as far as the run is changed with it. */
export interface ChangedRecord {
  /** The attempts that count. */
  counting(): readonly CountingAttempt[]
  /** The steps as they ended, until {@link ChangedRecord.setAside}. */
  steps(): readonly StepBefore[]
  /** The events since the last resume with changes, at least. */
  events(): Iterable<RunEvent>
  /** For another try of what failed. */
  reopened(): ReopenedRecord
  /** Makes all attempts stop counting, removes all results of steps, and detaches files from their calls. */
  setAside(): void
  /** The attempts that have been set aside and that nothing has taken over, those set aside last first. */
  reusables(): readonly ReusableResult[]
  /** The paths of answered questions and finished waits, without open questions. */
  reached(): readonly string[]
  /** The paths of waits and questions. */
  places(): readonly string[]
  /** Forgets when the run first reached a step, and its question. */
  forgetPlace(path: string): void
}

/** What the changes make of a run. */
export interface Changed {
  readonly comparison: ResumeComparison
  readonly isOtherPlan: boolean
  readonly isOtherInput: boolean
}

/** A run that ended, or whose process did. */
export type EndedRun = ChangedRun & { readonly status: RunStatus | 'running' }

/** Which actions send nothing. */
export type LocalActions = readonly Pick<ActionDescription, 'name' | 'isLocal'>[]

/**
 * Sets all attempts aside as reusable results for the changed run, and returns what the resume does with each step. For
 * a preview, the caller discards the changed record.
 */
export function applyChanges(
  run: EndedRun,
  work: ChosenWork,
  record: ChangedRecord,
  actions: LocalActions,
): Changed {
  const { plan: before, inputs: inputsBefore } = run
  refuseUnresolved(
    run,
    record.counting().filter(({ isDone }) => !isDone),
  )
  const overrides = readOverrides(work.overrides, work.plan)
  const done = setAside(run, work.overrides, record, undefined)
  const compared = compareSteps({
    before,
    after: work.plan,
    inputsBefore,
    inputsAfter: work.inputs,
    overrides,
    done,
    actions,
  })
  refuseKept(compared, work.newlyKept)
  forgetPlaces(record, overrides, compared)
  return {
    comparison: comparisonOf(run, work, compared),
    isOtherPlan: work.plan.hash !== before.hash,
    isOtherInput: !isSameJson(work.inputs, inputsBefore),
  }
}

/**
 * Returns what a resume without changes does with each step. `earlier` is what the last resume with changes said. The
 * caller discards the changed record.
 */
export function previewResume(
  run: EndedRun,
  earlier: Overrides | undefined,
  record: ChangedRecord,
  actions: LocalActions,
): ResumeComparison {
  const { plan, inputs, status } = run
  const said = readOverrides(earlier ?? { keep: [], repeat: [], skip: [] }, plan)
  const done = setAside(run, earlier, record, status === 'failed' ? 'failed' : 'stopped')
  const compared = compareSteps({
    before: plan,
    after: plan,
    inputsBefore: inputs,
    inputsAfter: inputs,
    overrides: whatHolds(said, done),
    done,
    actions,
    isPlain: earlier === undefined ? 'unchanged' : 'changed-before',
  })
  return comparisonOf(run, run, compared)
}

/** What is repeated is repeated once. */
function whatHolds(overrides: StepOverrides, done: DoneBefore): StepOverrides {
  return {
    ...overrides,
    ofAnyItem(path) {
      const override = overrides.ofAnyItem(path)
      return override === 'keep' || !done.hasBegun(path) ? override : undefined
    },
  }
}

/** Reopens what failed, sets all attempts aside, and returns what is left of them. */
function setAside(
  { plan, status }: EndedRun,
  overrides: Overrides | undefined,
  record: ChangedRecord,
  plain: LeftBehind['plain'],
): DoneBefore {
  const [steps, counting, reopened] = [record.steps(), record.counting(), record.reopened()]
  const anew: string[] = []
  const forgetInside: ReopenedRecord['forgetInside'] = (path, stays) => {
    anew.push(path)
    reopened.forgetInside(path, stays)
  }
  if (status === 'failed') reopenFailed(plan, { ...reopened, forgetInside }, isKeptBy(overrides))
  const beginsAnew = ({ path }: { readonly path: string }): boolean =>
    anew.some((outer) => isInside(path, outer))
  record.setAside()
  const reusables = record.reusables()
  const counts = new Set(reusables.flatMap(({ outcome, path }) => (outcome === 'done' ? [path] : [])))
  return gatherDone({
    reusables,
    steps: steps.map((step) => (beginsAnew(step) ? { ...step, status: 'pending' } : step)),
    reached: record.reached(),
    events: record.events(),
    madeAnew: counting.filter((call) => call.isDone && beginsAnew(call) && !counts.has(call.path)),
    plain,
  })
}

function isInside(path: string, outer: string): boolean {
  return path === outer || path.startsWith(`${outer}/`) || path.startsWith(`${outer}[`)
}

function comparisonOf(
  { id, plan: before, inputs }: EndedRun,
  work: Pick<ChosenWork, 'plan' | 'inputs'>,
  { steps }: ComparedSteps,
): ResumeComparison {
  return {
    run_id: id,
    runbook: work.plan.name,
    plan_hash_before: before.hash,
    plan_hash: work.plan.hash,
    changed_inputs: changedInputs(inputs, work.inputs),
    steps,
  }
}

function changedInputs(before: JsonObject, after: JsonObject): readonly string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names].filter((name) => {
    const [was, is] = [before[name], after[name]]
    return was === undefined || is === undefined || !isSameJson(was, is)
  })
}

/**
 * Forgets when the run first reached the steps that it reaches anew, and their answers. The answer for one item must
 * never count for another item at the same position of the list.
 */
function forgetPlaces(
  record: ChangedRecord,
  overrides: StepOverrides,
  { sameLoops, steps }: ComparedSteps,
): void {
  const known = new Set(steps.filter(({ fate }) => fate !== 'removed').map(({ path }) => path))
  const isForgotten = (path: string): boolean => {
    const override = overrides.of(path)
    const isAsked = override !== undefined && override !== 'keep'
    return (
      isAsked || overrides.isSkipped(path) || !known.has(withoutPlaces(path)) || !isInPlace(path, sameLoops)
    )
  }
  for (const path of record.places()) if (isForgotten(path)) record.forgetPlace(path)
}

/** Every loop around the path has the items it had. */
function isInPlace(path: string, sameLoops: ReadonlySet<string>): boolean {
  const ends = [...path.matchAll(/\[\d+\]/g)].map(({ index }) => index)
  return ends.every((end) => sameLoops.has(withoutPlaces(path.slice(0, end))))
}
