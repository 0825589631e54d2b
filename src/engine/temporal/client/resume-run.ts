import type { JsonObject } from '../../../core/json.ts'
import { type Plan, stepPathOf } from '../../../core/plan/index.ts'
import { needsDecision, refuseEnded } from '../../../core/record/index.ts'
import {
  applyChanges,
  type ChosenWork,
  findWrites,
  hasStepIn,
  previewResume,
  type ResumeChanges,
  type ResumeComparison,
  refuseChanges,
} from '../../../core/resume/index.ts'
import type { ResumeDependencies } from '../../index.ts'
import { chooseChanged } from '../../record/index.ts'
import type { ContinuedChanges, TakenReusable } from '../continued-state.ts'
import type { RunStart } from '../messages.ts'
import { cancelContinued } from '../resume/cancel-continued.ts'
import { type ContinuedChangedRecord, openChangedRecord } from '../resume/changed-record.ts'
import { reopenContinued } from '../resume/continued-record.ts'
import { findUnresolvedCalls } from '../resume/decide-continued.ts'
import { type EndedRunAnswer, readEnded } from './read-ended.ts'
import { type ReadLedger, readLedger } from './read-ledger.ts'
import { type ResumeOptions, startNextExecution } from './start-next-execution.ts'

/** The changes, and what they are compared with. */
export interface ResumeChangeOptions extends ResumeOptions, ResumeDependencies {
  readonly changes: ResumeChanges
}

/** Changes that were compared with the run and not applied. */
export interface OpenedChanges {
  /** The result for each step. */
  readonly comparison: ResumeComparison
  /** Resumes the run with the changes. Rejects with `InvalidInput` where a step needs a decision first. */
  begin(): Promise<RunStart>
}

/**
 * Compares a run that has ended with the changes, step by step. Reads every call since the last change from the
 * histories, since an unknown call could be repeated. Rejects as {@link resumeRun} does, and with `InvalidInput` for
 * changes that do not fit the run.
 */
export async function openChanges(options: ResumeChangeOptions): Promise<OpenedChanges> {
  const { runId: id, actions } = options
  const ended = await readResumable(options)
  const { start, continued, status } = ended
  const { plan, inputs } = start
  const run = { id, plan, inputs, status }
  const work = chooseChanged(run, options.changes, continued.changed?.overrides, options)
  const local = localOf(actions)
  const record = openRecord(ended, work.plan, await readLedger(options, id, ended), local)
  const { comparison, isOtherPlan, isOtherInput } = applyChanges(run, work, record, actions)
  return {
    comparison,
    async begin() {
      refuseChanges(comparison)
      return startNextExecution(options, ended, {
        plan: work.plan,
        inputs: work.inputs,
        continued: { ...record.continued(), changed: changesOf(work, record, continued, local) },
        resume: {
          changes: { ...work.overrides } satisfies JsonObject,
          ...(isOtherPlan ? { plan_hash_before: plan.hash } : {}),
          ...(isOtherInput ? { inputs_before: inputs } : {}),
        },
      })
    },
  }
}

/** Previews a resume without changes. What the server no longer has of the run counts as its steps ended. */
export async function previewPlain(options: Omit<ResumeChangeOptions, 'changes'>): Promise<ResumeComparison> {
  const { runId: id, actions } = options
  const ended = await readEnded(options, id, (status) => refuseEnded(id, status))
  const { start, continued, status } = ended
  const { plan, inputs } = start
  const ledger = await readLedger(options, id, ended, 'known')
  const record = openRecord(ended, plan, ledger, localOf(actions))
  return previewResume({ id, plan, inputs, status }, continued.changed?.overrides, record, actions)
}

function openRecord(
  { start, continued }: EndedRunAnswer,
  plan: Plan,
  read: ReadLedger,
  local: readonly string[],
): ContinuedChangedRecord {
  const isWrite = findWrites([start.plan, plan], new Set(local))
  const hasStep = hasStepIn(plan)
  return openChangedRecord({
    ...read,
    continued,
    isWrite,
    isWriteNow: (call) => hasStep(stepPathOf(call.path), call.action) && isWrite(call),
  })
}

function localOf(actions: ResumeDependencies['actions']): readonly string[] {
  return actions.flatMap(({ name, isLocal }) => (isLocal ? [name] : []))
}

function changesOf(
  { overrides }: ChosenWork,
  record: ContinuedChangedRecord,
  { changed, resumes, executions, lastSeq }: NonNullable<RunStart['continued']>,
  local: readonly string[],
): ContinuedChanges {
  const reusables = new Map(changed?.reusables.map((reusable) => [reusable.id, reusable] as const))
  const keptSince = ({ reusable: id, asked }: TakenReusable): ContinuedChanges['kept'] => {
    const reusable = reusables.get(id)
    return reusable && reusable.asked !== asked ? [{ action: reusable.action, asked: reusable.asked }] : []
  }
  return {
    number: resumes.length + 1,
    overrides,
    local,
    reusables: record.reusables(),
    taken: [],
    givenUp: [],
    kept: [...(changed?.kept ?? []), ...(changed?.taken.flatMap(keptSince) ?? [])],
    executionsBefore: executions.length,
    seqBefore: lastSeq,
  }
}

/**
 * Resumes a run that has ended: starts another execution of its workflow with the continued state. Answers with what
 * the execution was started with. Rejects with `OutcomeUnknown` where a person must decide first, with `RunInUse` for
 * an open run, and with `InvalidInput` for one that cannot be resumed.
 */
export async function resumeRun(options: ResumeOptions): Promise<RunStart> {
  const { cancel } = options
  const ended = await readResumable(options)
  const { start, continued: before, status } = ended
  const { plan } = start
  const continued = cancel ? cancelContinued(plan, status, before, cancel, Date.now()) : before
  return startNextExecution(options, ended, {
    ...start,
    continued: reopenContinued(plan, continued, status),
  })
}

/** Reads the continued state of a run that can be resumed. Rejects as {@link resumeRun} does. */
async function readResumable(options: ResumeOptions): Promise<EndedRunAnswer> {
  const { runId } = options
  const ended = await readEnded(options, runId, (status) => refuseEnded(runId, status))
  // Calls of an interrupted run are resolved when it resumes.
  const [unresolved] =
    options.cancel || ended.status === 'interrupted'
      ? []
      : findUnresolvedCalls(ended.start.plan, ended.continued, ended.status === 'failed' ? 'all' : undefined)
  if (unresolved) throw needsDecision(runId, unresolved.path)
  return ended
}
