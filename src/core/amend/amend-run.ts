import type { ActionDescription } from '../action.ts'
import { isSameJson } from '../canonical-text.ts'
import type { RunStatus } from '../events.ts'
import type { JsonObject } from '../json.ts'
import { type ReopenedRecord, reopenFailed } from '../record/reopen-failed.ts'
import { withoutPlaces } from './call-names.ts'
import type { AmendedRun, ChosenWork } from './choose-work.ts'
import { type ComparedSteps, compareSteps } from './compare-steps.ts'
import { gatherDone, type StepsBefore } from './done-before.ts'
import { readWords, type WordBook } from './read-words.ts'
import { refuseUndecided, type UnsettledAttempt } from './refuse-undecided.ts'
import type { ResumeComparison } from './resume-comparison.ts'
import type { Seed } from './seed.ts'

/** What a run has left behind, wherever it is kept, as far as the run is amended with it. */
export interface AmendedRecord {
  /** Those that count, and did not end well. */
  unsettled(): Iterable<UnsettledAttempt>
  /** What the record of the steps says, until {@link AmendedRecord.setAside}. */
  steps(): Omit<StepsBefore, 'reached'>
  /** For another try of what failed. */
  reopened(): ReopenedRecord
  /** No attempt counts any more, no step has come to anything, and no file belongs to a call. */
  setAside(): void
  /** The attempts that have been set aside and that nothing has taken over, those set aside last first. */
  seeds(): readonly Seed[]
  /** Where somebody has answered, or the run has waited; not where it still waits for an answer. */
  reached(): readonly string[]
  /** Where the run has come to wait, or has asked somebody. */
  places(): readonly string[]
  /** When the run came to a place, and what was asked there. */
  forgetPlace(path: string): void
}

/** What an amendment makes of a run. */
export interface Amended {
  readonly comparison: ResumeComparison
  readonly isOtherPlan: boolean
  readonly isOtherInput: boolean
}

/**
 * Sets all aside that was done, for the steps of the amended run to take over, and says what becomes of each. Whoever
 * only wants to know gives up the record afterwards.
 */
export function amendRun(
  run: AmendedRun & { readonly status: RunStatus | 'running' },
  work: ChosenWork,
  record: AmendedRecord,
  actions: readonly Pick<ActionDescription, 'name' | 'isLocal'>[],
): Amended {
  const { id, plan: before, inputs: inputsBefore, status } = run
  refuseUndecided(run, record.unsettled())
  const steps = record.steps()
  if (status === 'failed') reopenFailed(before, record.reopened())
  record.setAside()
  const words = readWords(work.words, work.plan)
  const compared = compareSteps({
    before,
    after: work.plan,
    inputsBefore,
    inputsAfter: work.inputs,
    words,
    done: gatherDone(record.seeds(), { ...steps, reached: record.reached() }),
    actions,
  })
  forgetPlaces(record, words, compared)
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
 * When the run came to places that it comes to anew, and what people said there. The answer for one item must never
 * count for another one that has taken its place in the list.
 */
function forgetPlaces(record: AmendedRecord, words: WordBook, { sameLoops, steps }: ComparedSteps): void {
  const known = new Set(steps.filter(({ fate }) => fate !== 'removed').map(({ path }) => path))
  const isForgotten = (path: string): boolean => {
    const word = words.of(path)
    const isAsked = word !== undefined && word !== 'keep'
    return isAsked || words.isSkipped(path) || !known.has(withoutPlaces(path)) || !isInPlace(path, sameLoops)
  }
  for (const path of record.places()) if (isForgotten(path)) record.forgetPlace(path)
}

/** Every loop around the path has the items it had. */
function isInPlace(path: string, sameLoops: ReadonlySet<string>): boolean {
  const ends = [...path.matchAll(/\[\d+\]/g)].map(({ index }) => index)
  return ends.every((end) => sameLoops.has(withoutPlaces(path.slice(0, end))))
}
