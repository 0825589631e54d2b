import { asyncLocalStorage, CompleteAsyncError, type Context } from '@temporalio/activity'
import type { AsyncCompletionClient } from '@temporalio/client'
import {
  type ListenOrder,
  listeningSignal,
} from '../../../../src/engine/temporal/received-events/listening.ts'
import type { Command, Job } from './create-isolate.ts'
import { decode, encode, encodeFailure } from './payloads.ts'

export type ScheduledActivity = NonNullable<Command['scheduleActivity']>
/** The end of an activity, as its workflow receives it. */
export type Resolution = NonNullable<NonNullable<Job['resolveActivity']>['result']>
/** Activities by their types. */
export type Activities = Readonly<Record<string, (order: never) => Promise<unknown>>>

/** What an activity answered, or threw. */
type Ended = { readonly value: unknown } | { readonly thrown: unknown }

/** The client that completes activities from outside, for those of this process. */
export interface LocalCompletion
  extends Pick<AsyncCompletionClient, 'complete' | 'fail' | 'heartbeat' | 'withDeadline'> {
  readonly open: Map<string, (ended: Ended) => void>
}

export function createLocalCompletion(): LocalCompletion {
  const open = new Map<string, (ended: Ended) => void>()
  const settle = async (token: unknown, ended: Ended): Promise<void> => {
    open.get(String(token))?.(ended)
    open.delete(String(token))
  }
  return {
    open,
    complete: (token: unknown, value: unknown) => settle(token, { value }),
    fail: (token: unknown, thrown: unknown) => settle(token, { thrown }),
    heartbeat: async () => {},
    withDeadline: (_, send) => send(),
  }
}

/** What connects a running activity with its workflow. */
export interface ActivityLife {
  readonly cancellationSignal: AbortSignal
  /** Sends the workflow a signal. */
  signal(name: string, input: unknown): Promise<void>
}

/** Runs one activity as a worker does, with its input and its result encoded as for a server. */
export async function runActivity(
  { activityType, activityId, arguments: payloads }: ScheduledActivity,
  activities: Activities,
  completion: LocalCompletion,
  { cancellationSignal, signal }: ActivityLife,
): Promise<Resolution> {
  const taskToken = new TextEncoder().encode(String(activityId))
  const toStore = { signal: async () => {} }
  const client = {
    workflow: {
      getHandle: (id: string) => (id.startsWith('opsbook-events/') ? toStore : { signal }),
      // The event store has nothing that a run has missed that begins to listen.
      async signalWithStart(_: string, { signalArgs: [{ hooks, request }] }: { signalArgs: [ListenOrder] }) {
        if (hooks.length > 0) await signal(listeningSignal, request)
      },
    },
  }
  const context = { cancellationSignal, heartbeat() {}, info: { taskToken }, client } as unknown as Context
  const [order] = (payloads ?? []).map((payload) => decode<never>(payload))
  const completed = new Promise<Ended>((resolve) => completion.open.set(String(taskToken), resolve))
  const carryOut = activities[activityType ?? '']
  const ended = await asyncLocalStorage
    .run(context, async () => {
      if (!carryOut) throw new Error(`no activity ${activityType}`)
      return carryOut(order as never)
    })
    .then(
      (value): Ended => ({ value }),
      (thrown: unknown): Ended | Promise<Ended> =>
        thrown instanceof CompleteAsyncError ? completed : { thrown },
    )
  if ('value' in ended) return { completed: { result: encode(ended.value) } }
  return {
    failed: {
      failure: {
        message: 'Activity task failed',
        cause: encodeFailure(ended.thrown),
        activityFailureInfo: { activityType: { name: activityType ?? '' }, activityId: activityId ?? '' },
      },
    },
  }
}
