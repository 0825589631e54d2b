import { callFingerprint } from '../../../core/calls/index.ts'
import { isForPerson, type RunEvent } from '../../../core/events.ts'
import { canonicalText } from '../../../core/json.ts'
import {
  createPlanIndex,
  type PlanIndex,
  type RecordedEvent,
  type StepRecord,
} from '../../../core/record/index.ts'
import { type RunbookError, refused } from '../../../core/run-error.ts'
import { attemptedOf, type CallLedger, createCallLedger } from '../resume/call-ledger.ts'
import { stepRecordsOf } from '../step-rows.ts'
import { atServer, type ClientPorts } from './client-ports.ts'
import { ignoreMissing } from './describe-run.ts'
import { readEvents } from './follow-events.ts'
import { readCalls } from './read-calls.ts'
import type { EndedRunAnswer } from './read-ended.ts'

/** Everything that a run has done since its last change. */
export interface ReadLedger {
  readonly ledger: CallLedger
  readonly steps: readonly StepRecord[]
  /** Those since the last change. */
  readonly events: readonly RunEvent[]
}

/**
 * Reads the calls of a run that has ended from the histories of its executions, and the results of its steps. `known`
 * leaves out the executions that the server no longer has.
 */
export async function readLedger(
  ports: ClientPorts,
  runId: string,
  { start, continued, executionId }: EndedRunAnswer,
  part?: 'known',
): Promise<ReadLedger> {
  const { executionsBefore = 0, seqBefore = 0 } = continued.changed ?? {}
  const before = continued.executions.filter(({ runId: one }) => one !== executionId).slice(executionsBefore)
  const ledger = createCallLedger()
  for (const execution of [...before.map((one) => one.runId), executionId]) {
    const read = await atServer(ports, () => readCalls(ports.client, runId, execution).catch(ignoreMissing))
    if (read) addExecution(ledger, read)
    else if (part !== 'known') throw forgotten(runId)
  }
  // The continued state has the final results.
  ledger.begin(continued)
  const events = await readEvents(ports, runId, seqBefore)
  const index = createPlanIndex(start.plan)
  for (const { event } of events) if (isReach(event, index)) ledger.reached(event.path, Date.parse(event.at))
  return { ledger, steps: stepRecordsOf(start.plan, events), events: events.map(({ event }) => event) }
}

/** Whether the time of an event is when the run first reached a step that asks for it. */
function isReach(event: RecordedEvent['event'], index: PlanIndex): event is ReachEvent {
  if (event.type === 'waiting') return event.reason === 'wait' || isForPerson(event.reason)
  if (event.type !== 'step_started' && event.type !== 'item_started') return false
  const step = index.ownerOf(event.path)?.step
  return step?.kind === 'uses' && step.uses.action.name === 'core/time'
}

type ReachEvent = RecordedEvent['event'] & { readonly type: 'waiting' | 'step_started' | 'item_started' }

function addExecution(ledger: CallLedger, { start, calls }: Awaited<ReturnType<typeof readCalls>>): void {
  if (start.continued) ledger.begin(start.continued)
  for (const { order, atMs, end } of calls) {
    const { path, attempt, action } = order.request
    const call = { path, attempt, action, asked: canonicalText(callFingerprint(order.request)) }
    ledger.note({ ...call, ...(end && attemptedOf(end, call, atMs)) })
  }
}

function forgotten(runId: string): RunbookError {
  const message = `the server no longer has all of what ${runId} has done: a resume with changes could repeat a call; nothing was changed`
  const next = `Resume it without changes, "opsbook resume ${runId}", or start another run.`
  return refused(message, next)
}
