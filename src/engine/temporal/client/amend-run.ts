import { amendRun } from '../../../core/amend/amend-run.ts'
import type { Amendment } from '../../../core/amend/amendment.ts'
import { withoutPlaces } from '../../../core/amend/call-names.ts'
import type { ChosenWork } from '../../../core/amend/choose-work.ts'
import { findWrites } from '../../../core/amend/find-writes.ts'
import { hasStepIn } from '../../../core/amend/placed-steps.ts'
import { refuseAmendment } from '../../../core/amend/refuse-amendment.ts'
import type { ResumeComparison } from '../../../core/amend/resume-comparison.ts'
import type { JsonObject } from '../../../core/json.ts'
import { placeOfCall } from '../../../core/record/place-of-call.ts'
import { type AmendedMeans, chooseAmended } from '../../record/choose-amended.ts'
import type { CarriedAmendment, TakenSeed } from '../carried.ts'
import type { RunStart } from '../messages.ts'
import { type CarriedAmendedRecord, openAmendedRecord } from '../resume/amended-record.ts'
import { beginAgain, type ResumeOptions } from './begin-again.ts'
import { readLedger } from './read-ledger.ts'
import { readResumable } from './resume-run.ts'

/** What is changed of a run, and what it is looked at with. */
export interface AmendOptions extends ResumeOptions, AmendedMeans {
  readonly amendment: Amendment
}

/** An amendment that has been looked at, and changed nothing. */
export interface OpenedAmendment {
  /** What would become of each step. */
  readonly comparison: ResumeComparison
  /** Goes on with the run so. Rejects with `InvalidInput` where a step needs a word first. */
  begin(): Promise<RunStart>
}

/**
 * Looks at what would become of each step of a run that has ended if it went on so. Reads all that the run has called
 * since it was amended last from the histories of its executions: what is not known cannot be told from what was not
 * done. Rejects as {@link resumeRun} does, and with `InvalidInput` for an amendment that does not fit the run.
 */
export async function openAmendment(options: AmendOptions): Promise<OpenedAmendment> {
  const { runId: id, actions } = options
  const ended = await readResumable(options)
  const { start, carried, status } = ended
  const { plan, inputs } = start
  const run = { id, plan, inputs, status }
  const work = chooseAmended(run, options.amendment, carried.amended?.words, options)
  const { ledger, steps } = await readLedger(options, id, ended)
  const local = actions.flatMap(({ name, isLocal }) => (isLocal ? [name] : []))
  const isWrite = findWrites([plan, work.plan], new Set(local))
  const hasStep = hasStepIn(work.plan)
  const record = openAmendedRecord({
    carried,
    ledger,
    steps,
    isWrite,
    isWriteNow: (call) => hasStep(withoutPlaces(placeOfCall(call.path)), call.action) && isWrite(call),
  })
  const { comparison, isOtherPlan, isOtherInput } = amendRun(run, work, record, actions)
  return {
    comparison,
    async begin() {
      refuseAmendment(comparison, work.newlyKept)
      return beginAgain(options, ended, {
        plan: work.plan,
        inputs: work.inputs,
        carried: { ...record.carried(), amended: amendmentOf(work, record, carried, local) },
        resume: {
          amendment: { ...work.words } satisfies JsonObject,
          ...(isOtherPlan ? { plan_hash_before: plan.hash } : {}),
          ...(isOtherInput ? { inputs_before: inputs } : {}),
        },
      })
    },
  }
}

function amendmentOf(
  { words }: ChosenWork,
  record: CarriedAmendedRecord,
  { amended, resumes, executions, lastSeq }: NonNullable<RunStart['carried']>,
  local: readonly string[],
): CarriedAmendment {
  const seeds = new Map(amended?.seeds.map((seed) => [seed.id, seed] as const))
  const keptSince = ({ seed: id, asked }: TakenSeed): CarriedAmendment['kept'] => {
    const seed = seeds.get(id)
    return seed && seed.asked !== asked ? [{ action: seed.action, asked: seed.asked }] : []
  }
  return {
    number: resumes.length + 1,
    words,
    local,
    seeds: record.seeds(),
    taken: [],
    givenUp: [],
    kept: [...(amended?.kept ?? []), ...(amended?.taken.flatMap(keptSince) ?? [])],
    executionsBefore: executions.length,
    seqBefore: lastSeq,
  }
}
