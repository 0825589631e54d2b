import type { Client } from '@temporalio/client'
import type { LoadedDataConverter, WorkflowSerializationContext } from '@temporalio/common'
import { decodeFromPayloadsAtIndex } from '@temporalio/common/lib/internal-non-workflow/index.js'
import { RunbookError } from '../../../core/run-error.ts'
import type { RunStart } from '../messages.ts'

type HistoryAnswer = Awaited<ReturnType<Client['workflowService']['getWorkflowExecutionHistory']>>

/** One entry of the history of a workflow. */
export type HistoryEvent = NonNullable<NonNullable<HistoryAnswer['history']>['events']>[number]

/** Values as a history keeps them. */
export type Payloads = NonNullable<HistoryEvent['activityTaskScheduledEventAttributes']>['input']

const pageSize = 1000

/** How a history is read. */
interface HistoryOptions {
  readonly maximumPageSize?: number
  /** The newest entry first. */
  readonly isReversed?: boolean
}

/** The history of one execution of a workflow, without any worker. */
export async function* readHistory(
  { workflowService, options: { namespace } }: Client,
  workflowId: string,
  executionId: string | undefined,
  { maximumPageSize = pageSize, isReversed = false }: HistoryOptions = {},
): AsyncGenerator<HistoryEvent> {
  let nextPageToken: Uint8Array | undefined
  do {
    const request = {
      namespace,
      execution: { workflowId, ...(executionId === undefined ? {} : { runId: executionId }) },
      maximumPageSize,
      ...(nextPageToken === undefined ? {} : { nextPageToken }),
    }
    const answer = isReversed
      ? await workflowService.getWorkflowExecutionHistoryReverse(request)
      : await workflowService.getWorkflowExecutionHistory(request)
    yield* answer.history?.events ?? []
    nextPageToken = answer.nextPageToken?.length ? answer.nextPageToken : undefined
  } while (nextPageToken)
}

/** What an execution of a workflow was started with. Undefined: nothing that can be read. */
export async function readStartInput<Input>(
  client: Client,
  workflowId: string,
  executionId?: string,
): Promise<Input | undefined> {
  const events = readHistory(client, workflowId, executionId, { maximumPageSize: 1 })
  for await (const { workflowExecutionStartedEventAttributes: started } of events)
    return decodePayload<Input>(client, workflowId, started?.input)
  return undefined
}

/** What a run was started with, or what this execution of it was. */
export async function readStart(client: Client, workflowId: string, executionId?: string): Promise<RunStart> {
  const start = await readStartInput<RunStart>(client, workflowId, executionId)
  if (start?.plan) return start
  throw noStart(workflowId)
}

/** The error for a history without a start. */
export function noStart(workflowId: string): RunbookError {
  const message = `the history of ${workflowId} does not say how it was started`
  return new RunbookError('PayloadUnreadable', message, { notSent: true })
}

/** The value of a payload of a workflow. Rejects with `PayloadUnreadable`. */
export async function decodePayload<T>(
  client: Client,
  workflowId: string,
  payloads: Payloads,
): Promise<T | undefined> {
  if (!payloads?.payloads?.length) return undefined
  try {
    return await decodeFromPayloadsAtIndex<T>(
      converterOf(client),
      0,
      payloads.payloads,
      contextOf(client, workflowId),
    )
  } catch (cause) {
    const message = `a payload cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`
    throw new RunbookError('PayloadUnreadable', message, { cause, notSent: true })
  }
}

/** A payload of another workflow is unreadable with it. */
export function contextOf(
  { options: { namespace } }: Client,
  workflowId: string,
): WorkflowSerializationContext {
  return { type: 'workflow', namespace, workflowId }
}

/** What converts values to payloads and back, codec and all. */
export function converterOf(client: Client): LoadedDataConverter {
  return client.options.loadedDataConverter
}
