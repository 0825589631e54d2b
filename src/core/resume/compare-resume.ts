import type { ActionDescription } from '../action.ts'
import type { RunStatus } from '../events.ts'
import { isSameJson, type JsonObject } from '../json.ts'
import { type ReopenedRecord, reopenFailed } from '../record/reopen-failed.ts'
import { withoutPlaces } from './call-names.ts'
import type { ChangedRun, ChosenWork } from './choose-work.ts'
import { type ComparedSteps, compareSteps } from './compare-steps.ts'
import { gatherDone, type StepsBefore } from './done-before.ts'
import { refuseUnresolved, type UnsettledAttempt } from './refuse-resume.ts'
import { readOverrides, type StepOverrides } from './resume-changes.ts'
import type { ResumeComparison } from './resume-comparison.ts'
import type { ReusableResult } from './reusable-results.ts'

/** What a run has left behind, wherever it is kept, as far as the run is changed with it. */
export interface ChangedRecord {
  /** Those that count, and did not end well. */
  unsettled(): Iterable<UnsettledAttempt>
  /** What the record of the steps says, until {@link ChangedRecord.setAside}. */
  steps(): Omit<StepsBefore, 'reached'>
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

/**
 * Sets all attempts aside as reusable results for the changed run, and returns what the resume does with each step. For
 * a preview, the caller discards the changed record.
 */
export function applyChanges(
  run: ChangedRun & { readonly status: RunStatus | 'running' },
  work: ChosenWork,
  record: ChangedRecord,
  actions: readonly Pick<ActionDescription, 'name' | 'isLocal'>[],
): Changed {
  const { id, plan: before, inputs: inputsBefore, status } = run
  refuseUnresolved(run, record.unsettled())
  const steps = record.steps()
  if (status === 'failed') reopenFailed(before, record.reopened())
  record.setAside()
  const overrides = readOverrides(work.overrides, work.plan)
  const compared = compareSteps({
    before,
    after: work.plan,
    inputsBefore,
    inputsAfter: work.inputs,
    overrides,
    done: gatherDone(record.reusables(), { ...steps, reached: record.reached() }),
    actions,
  })
  forgetPlaces(record, overrides, compared)
  return {
    comparison: {
      run_id: id,
      runbook: work.plan.name,
      plan_hash_before: before.hash,
      plan_hash: work.plan.hash,
      changed_inputs: changedInputs(inputsBefore, work.inputs),
      steps: compared.steps,
    },
    isOtherPlan: work.plan.hash !== before.hash,
    isOtherInput: !isSameJson(work.inputs, inputsBefore),
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
