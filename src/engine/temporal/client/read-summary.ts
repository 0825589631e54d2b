import { type WorkflowExecutionInfo, WorkflowFailedError, type WorkflowHandle } from '@temporalio/client'
import { ApplicationFailure, CancelledFailure } from '@temporalio/common'
import type { RunOutcome } from '../../../core/interpret.ts'
import {
  isExecuted,
  type RecordedStatus,
  type RunSummary,
  type TriggerSource,
} from '../../../core/record/index.ts'
import type { ErrorData } from '../../../core/run-error.ts'
import { recordedTime } from '../../../core/times/index.ts'
import { whyUnreadable } from '../codec/unreadable.ts'
import { outcomeMemo, scheduledTimeAttribute } from '../messages.ts'
import type { RunMemo } from '../run-listing.ts'

type Info = Pick<
  WorkflowExecutionInfo,
  'workflowId' | 'status' | 'memo' | 'searchAttributes' | 'startTime' | 'closeTime'
>

/** A run of a list: with what it waits for, where its status says that it does. */
export function readListed(info: Info): RunSummary {
  const summary = readSummary(info)
  const { current_step: step } = readable(info.memo)
  return summary.status === 'waiting' && step ? { ...summary, current_step: step } : summary
}

/** A run as the server lists it. */
export function readSummary(info: Info): RunSummary {
  const { title, key, startedBy, startedAtMs, error, ...memo } = readable(info.memo)
  const startedFrom = startedFromOf(memo, info)
  const status = statusOf(info)
  const failure = status === 'interrupted' ? stopped(info) : error
  const isOver = info.closeTime !== undefined && status !== 'succeeded'
  return {
    run_id: info.workflowId,
    ...(key === undefined ? {} : { key }),
    runbook: wordOf(info, 'OpsbookRunbook') ?? '',
    ...(title === undefined ? {} : { title }),
    labels: labelsOf(info),
    status,
    ...(isOver && failure ? { error: failure } : {}),
    started_at: recordedTime(startedAtMs ?? info.startTime.getTime()),
    ...(startedBy === undefined ? {} : { started_by: startedBy }),
    ...(startedFrom === undefined ? {} : { started_from: startedFrom }),
    ...(info.closeTime === undefined ? {} : { ended_at: info.closeTime.toISOString() }),
  }
}

function startedFromOf(
  { startedFrom }: Partial<RunMemo>,
  { searchAttributes, startTime }: Info,
): TriggerSource | undefined {
  if (startedFrom === undefined || 'kind' in startedFrom) return startedFrom
  const [time = startTime] = searchAttributes[scheduledTimeAttribute] ?? []
  return { kind: 'schedule', ...startedFrom, at: new Date(time as Date).toISOString() }
}

/** The part of a memo that could be decrypted. */
function readable(memo: Info['memo'] = {}): Partial<RunMemo> {
  return Object.fromEntries(Object.entries(memo).filter(([, value]) => whyUnreadable(value) === undefined))
}

const over: readonly RecordedStatus[] = ['failed', 'unknown', 'cancelled', 'interrupted']

function statusOf(info: Info): RecordedStatus {
  const listed = wordOf(info, 'OpsbookStatus') as RecordedStatus | undefined
  switch (info.status.name) {
    case 'RUNNING':
    case 'PAUSED':
      return listed !== undefined && isExecuted(listed) ? listed : 'running'
    case 'COMPLETED':
      return 'succeeded'
    case 'CANCELLED':
      return 'cancelled'
    case 'FAILED':
      return listed !== undefined && over.includes(listed) ? listed : 'failed'
    default:
      return 'interrupted'
  }
}

/** The run was terminated, or timed out, at the server. */
function stopped({ status }: Info): ErrorData {
  const how =
    status.name === 'TIMED_OUT' ? 'its time on the server was over' : 'it was terminated on the server'
  return { code: 'Interrupted', message: `the run was stopped: ${how}` }
}

/** The value of a search attribute that is one word. */
export function wordOf(
  { searchAttributes }: Pick<Info, 'searchAttributes'>,
  name: string,
): string | undefined {
  const [value] = searchAttributes[name] ?? []
  return typeof value === 'string' ? value : undefined
}

function labelsOf({ searchAttributes }: Info): Readonly<Record<string, string>> {
  const pairs = (searchAttributes['OpsbookLabels'] ?? []).flatMap((pair) => {
    const [, name, value] = /^([^=]+)=(.*)$/s.exec(String(pair)) ?? []
    return name === undefined || value === undefined ? [] : [[name, value] as const]
  })
  return Object.fromEntries(pairs)
}

/** How a run ended: every failure of a run is an outcome. */
export async function outcomeOf(handle: WorkflowHandle): Promise<RunOutcome> {
  try {
    return (await handle.result()) as RunOutcome
  } catch (thrown) {
    const cause = thrown instanceof WorkflowFailedError ? thrown.cause : thrown
    const outcome =
      cause instanceof CancelledFailure
        ? (await handle.describe()).memo?.[outcomeMemo]
        : cause instanceof ApplicationFailure && cause.details?.[0]
    if (outcome) return outcome as RunOutcome
    throw thrown
  }
}
