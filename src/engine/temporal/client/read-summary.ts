import type { WorkflowExecutionInfo } from '@temporalio/client'
import type { RecordedStatus, RunSummary } from '../../../core/record/run-record.ts'
import type { StartedFrom } from '../../../core/record/started-from.ts'
import type { ErrorData } from '../../../core/run-error.ts'
import { whyUnreadable } from '../codec/unreadable.ts'
import { scheduledTimeAttribute } from '../messages.ts'
import type { RunMemo } from '../run-memo.ts'

type Info = Pick<
  WorkflowExecutionInfo,
  'workflowId' | 'status' | 'memo' | 'searchAttributes' | 'startTime' | 'closeTime'
>

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
    started_at: new Date(startedAtMs ?? info.startTime).toISOString(),
    ...(startedBy === undefined ? {} : { started_by: startedBy }),
    ...(startedFrom === undefined ? {} : { started_from: startedFrom }),
    ...(info.closeTime === undefined ? {} : { ended_at: info.closeTime.toISOString() }),
  }
}

function startedFromOf(
  { startedFrom }: Partial<RunMemo>,
  { searchAttributes, startTime }: Info,
): StartedFrom | undefined {
  if (startedFrom === undefined || 'kind' in startedFrom) return startedFrom
  const [time = startTime] = searchAttributes[scheduledTimeAttribute] ?? []
  return { kind: 'schedule', ...startedFrom, at: new Date(time as Date).toISOString() }
}

/** What of a memo could be decrypted. */
function readable(memo: Info['memo'] = {}): Partial<RunMemo> {
  return Object.fromEntries(Object.entries(memo).filter(([, value]) => whyUnreadable(value) === undefined))
}

const open: readonly RecordedStatus[] = ['running', 'waiting', 'paused']
const over: readonly RecordedStatus[] = ['failed', 'unknown', 'cancelled', 'interrupted']

function statusOf(info: Info): RecordedStatus {
  const told = wordOf(info, 'OpsbookStatus') as RecordedStatus | undefined
  switch (info.status.name) {
    case 'RUNNING':
    case 'PAUSED':
      return told !== undefined && open.includes(told) ? told : 'running'
    case 'COMPLETED':
      return 'succeeded'
    case 'CANCELLED':
      return 'cancelled'
    case 'FAILED':
      return told !== undefined && over.includes(told) ? told : 'failed'
    default:
      return 'interrupted'
  }
}

/** Somebody has ended it on the server, past the run itself. */
function stopped({ status }: Info): ErrorData {
  const how =
    status.name === 'TIMED_OUT' ? 'its time on the server was over' : 'it was terminated on the server'
  return { code: 'Interrupted', message: `the run was stopped: ${how}` }
}

function wordOf({ searchAttributes }: Info, name: string): string | undefined {
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
