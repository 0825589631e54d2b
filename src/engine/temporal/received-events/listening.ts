/** The messages between runs that wait for events and the event store of their task queue. */

import type { WantedField } from '../../../core/hooks/index.ts'
import type { EventRecord } from '../../../core/triggers/index.ts'

/** Id of the workflow that stores the events of a task queue. */
export function eventStoreId(taskQueue: string): string {
  return `opsbook-events/${taskQueue}`
}

/** Name of the local activity that registers a run at the event store: its input is a {@link ListenOrder}. */
export const listenActivity = 'opsbook/listen'

/** Name of the local activity that makes the addresses of callbacks: its input is a {@link CallbacksOrder}. */
export const callbacksActivity = 'opsbook/callbacks'

/** The callbacks of a run that need an address. */
export interface CallbacksOrder {
  readonly runId: string
  readonly names: readonly string[]
}

/** Signal to the event store: from now on a run listens to its hooks, as a {@link ListenOrder}. */
export const listenSignal = 'opsbookListen'

/** A run, and the hooks whose events its steps can wait for. */
export interface ListenOrder {
  readonly runId: string
  /** None: the run has ended. */
  readonly hooks: readonly string[]
  /** By hook, what events have to be for the run to want them. Left out: it can want any. */
  readonly wanted?: Readonly<Record<string, readonly WantedField[]>>
  /** The number of the request, which the answer repeats. */
  readonly request: number
  /** The run listens already. */
  readonly isAgain?: true
  /** When the run was started, by the clock of the server. It takes the events since, in Unix milliseconds. */
  readonly sinceMs: number
  /** Task queue of the event store. */
  readonly taskQueue: string
}

/** Signal of the event store to a run: events came to its hooks, as a list of {@link SentEvent}, the oldest first. */
export const eventsSignal = 'opsbookSentEvents'

/** Signal of the event store to a run: it has all events that were accepted before the request of this number. */
export const listeningSignal = 'opsbookListening'

/** An event as a run receives it. */
export interface SentEvent {
  readonly hook: string
  readonly id: string
  /** Unix time in milliseconds. */
  readonly receivedAtMs: number
  /** Left out: it was too large to be kept. */
  readonly body?: NonNullable<EventRecord['body']> | null
}

/** Signal to the event store: a step has taken an event, as a {@link TakenNotice}. */
export const takenSignal = 'opsbookTaken'

/** A step that has taken an event. */
export interface TakenNotice {
  readonly hook: string
  readonly id: string
  readonly runId: string
  readonly path: string
}
