import { canonicalText } from '../../../core/canonical-text.ts'
import type { StepRecord } from '../../../core/record/run-record.ts'
import { whatIsAsked } from '../../../core/record/what-is-asked.ts'
import { RunbookError } from '../../../core/run-error.ts'
import { grpcCodes } from '../connection-error.ts'
import { attemptedOf } from '../resume/attempted-of.ts'
import { type CallLedger, createCallLedger, type LedgerCall } from '../resume/call-ledger.ts'
import { readEvents } from './follow-events.ts'
import { readCalls } from './read-calls.ts'
import type { EndedRun } from './read-ended.ts'
import { stepsOf } from './steps-of.ts'
import { type ClientPorts, serverError } from './talk-to-run.ts'

/** All that a run has done since it was amended last. */
export interface ReadLedger {
  readonly ledger: CallLedger
  readonly steps: readonly StepRecord[]
}

/** Reads what a run that has ended has called, from the histories of its executions, and what its steps came to. */
export async function readLedger(
  ports: ClientPorts,
  runId: string,
  { start, carried, executionId }: EndedRun,
): Promise<ReadLedger> {
  const { executionsBefore = 0, seqBefore = 0 } = carried.amended ?? {}
  const before = carried.executions.filter(({ runId: one }) => one !== executionId).slice(executionsBefore)
  const ledger = createCallLedger()
  for (const execution of [...before.map((one) => one.runId), executionId]) {
    try {
      await readExecution(ports, runId, execution, ledger)
    } catch (thrown) {
      throw isGone(thrown) ? forgotten(runId, thrown) : serverError(thrown, ports)
    }
  }
  // It knows best how calls ended that it may hear of again.
  ledger.begin(carried)
  const events = await readEvents(ports, runId, seqBefore)
  for (const { event } of events) {
    if (event.type === 'waiting' && (event.reason === 'wait' || event.reason === 'approval'))
      ledger.reached(event.path, Date.parse(event.at))
  }
  return { ledger, steps: stepsOf(start.plan, events) }
}

async function readExecution(
  { client }: ClientPorts,
  runId: string,
  executionId: string,
  ledger: CallLedger,
): Promise<void> {
  const open = new Map<string, { readonly call: LedgerCall; readonly atMs: number }>()
  for await (const event of readCalls(client, runId, executionId)) {
    if (event.kind === 'started') {
      if (event.start.carried) ledger.begin(event.start.carried)
    } else if (event.kind === 'begun') {
      const { path, attempt, action } = event.order.request
      const call = { path, attempt, action, asked: canonicalText(whatIsAsked(event.order.request)) }
      open.set(event.id, { call, atMs: event.atMs })
      ledger.note(call)
    } else {
      const begun = open.get(event.id)
      if (begun) ledger.note({ ...begun.call, ...attemptedOf(event, begun.call, begun.atMs) })
    }
  }
}

function isGone(thrown: unknown): boolean {
  return (thrown as { readonly code?: unknown }).code === grpcCodes.notFound
}

function forgotten(runId: string, cause: unknown): RunbookError {
  const message = `the server no longer has all of what ${runId} has done: what may be done a second time cannot be told; nothing was changed`
  const next = `Go on with it as it is, "opsbook resume ${runId}", or start another run.`
  return new RunbookError('InvalidInput', message, { cause, notSent: true, next })
}
