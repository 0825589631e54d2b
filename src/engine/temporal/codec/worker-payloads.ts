import { defaultPayloadConverter, type Payload, type PayloadConverter } from '@temporalio/common'
import type { WorkerOptions } from '@temporalio/worker'
import { dataConverterFor } from './create-codec.ts'
import { messageOf, messageOfKind, wrongMessage } from './message-names.ts'
import { nameMessages } from './name-messages.ts'
import { protection } from './read-keys.ts'
import { unreadable } from './unreadable.ts'

/** What a worker receives and sends payloads with, besides its codec. */
export const workerInterceptors: NonNullable<WorkerOptions['interceptors']> = {
  client: { workflow: [nameMessages] },
  activity: [
    ({ info }) => ({
      inbound: {
        execute: (input, next) =>
          next({ ...input, args: input.args.map((arg) => orderFor(info.activityType, arg)) }),
      },
    }),
  ],
}

/** The order of an activity, with the message that its payload was encrypted for. */
class NamedOrder {
  readonly message: string
  readonly order: unknown
  constructor(message: string, order: unknown) {
    this.message = message
    this.order = order
  }
}

/** Replaces an order that was encrypted for another activity. With keys, one that names no activity, too. */
function orderFor(activityType: string, arg: unknown): unknown {
  const expected = messageOfKind('activity', activityType)
  const found = arg instanceof NamedOrder ? arg.message : protection() === 'keys' ? '' : expected
  if (found !== expected)
    return defaultPayloadConverter.fromPayload(unreadable(wrongMessage(found, expected)))
  return arg instanceof NamedOrder ? arg.order : arg
}

const payloadConverter: PayloadConverter = {
  toPayload: (value) => defaultPayloadConverter.toPayload(value),
  fromPayload<T>(payload: Payload) {
    const value = defaultPayloadConverter.fromPayload<T>(payload)
    const message = messageOf(payload)
    return message?.startsWith(messageOfKind('activity')) ? (new NamedOrder(message, value) as T) : value
  },
}

/**
 * Gives a worker the converters of its payloads. The SDK only loads converters from files, and has no option for an
 * object.
 */
export function setConverters({ options }: { readonly options: object }): void {
  const { loadedDataConverter } = options as { readonly loadedDataConverter: object }
  const { failureConverter } = dataConverterFor('replace')
  Object.assign(loadedDataConverter, { failureConverter, payloadConverter })
}
