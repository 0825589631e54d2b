import { CompleteAsyncError } from '@temporalio/activity'
import {
  CancelledFailure,
  defaultPayloadConverter,
  ensureApplicationFailure,
  type PayloadCodec,
} from '@temporalio/common'
import type {
  ActivityInboundCallsInterceptor,
  ActivityInterceptorsFactory,
  WorkerOptions,
} from '@temporalio/worker'
import { dataConverterFor } from './create-codec.ts'
import { messageOf, messageOfKind, wrongMessage } from './message-names.ts'
import { nameMessages } from './name-messages.ts'
import { protection } from './read-keys.ts'
import { unreadable } from './unreadable.ts'

/**
 * What a worker receives and sends payloads with. `calls`: it takes orders of activities from the server, and takes only
 * those that were encrypted for the activity.
 */
export function workerPayloads(
  takes: 'runs' | 'calls',
): Required<Pick<WorkerOptions, 'dataConverter' | 'interceptors'>> {
  const { payloadCodecs } = dataConverterFor('replace')
  const failures: ActivityInterceptorsFactory = () => ({ inbound: { execute: encodeFailures } })
  const orders: ActivityInterceptorsFactory = ({ info }) => ({
    inbound: { execute: takeOrders(info.activityType) },
  })
  const client = { workflow: [nameMessages] }
  if (takes === 'runs')
    return { dataConverter: { payloadCodecs }, interceptors: { client, activity: [failures] } }
  return {
    dataConverter: { payloadCodecs: payloadCodecs.map(nameOrders) },
    interceptors: { client, activity: [failures, orders] },
  }
}

type Execute = NonNullable<ActivityInboundCallsInterceptor['execute']>

/** Key of an order with the message that it was encrypted for. */
const messageKey = 'opsbookOrderOf'

/** An activity gets the values of its payloads without their metadata. So the codec puts the message beside the value. */
function nameOrders(codec: PayloadCodec): PayloadCodec {
  return {
    ...codec,
    decode: async (payloads, context) =>
      (await codec.decode(payloads, context)).map((payload) => {
        const message = messageOf(payload)
        if (message === undefined) return payload
        const order = defaultPayloadConverter.fromPayload(payload)
        return defaultPayloadConverter.toPayload({ [messageKey]: message, order })
      }),
  }
}

/** Replaces an order that was encrypted for another activity. With keys, one that names no activity, too. */
function takeOrders(activityType: string): Execute {
  const expected = messageOfKind('activity', activityType)
  return (input, next) => next({ ...input, args: input.args.map((arg) => orderFor(expected, arg)) })
}

function orderFor(expected: string, arg: unknown): unknown {
  const named = isNamed(arg)
  if (!named && protection() !== 'keys') return arg
  const found = named ? String(arg[messageKey]) : ''
  if (named && found === expected) return arg.order
  return defaultPayloadConverter.fromPayload(unreadable(wrongMessage(found, expected)))
}

function isNamed(value: unknown): value is { readonly [messageKey]: unknown; readonly order: unknown } {
  return typeof value === 'object' && value !== null && messageKey in value && 'order' in value
}

/** The details of an earlier heartbeat, as its worker sent them: the codec takes them for an order. */
export function heartbeatIn(details: unknown): unknown {
  return isNamed(details) ? details.order : details
}

/**
 * With keys, the message and the stack of a failure are encrypted, too: the converter of the SDK takes a failure that is
 * already converted as it is.
 */
const encodeFailures: Execute = async (input, next) => {
  try {
    return await next(input)
  } catch (thrown) {
    if (protection() === 'none' || thrown instanceof CompleteAsyncError || isAbort(thrown)) throw thrown
    const error = thrown instanceof CancelledFailure ? thrown : ensureApplicationFailure(thrown)
    const { failureConverter } = dataConverterFor('replace')
    error.failure = failureConverter.errorToFailure(error, defaultPayloadConverter)
    throw error
  }
}

function isAbort(thrown: unknown): boolean {
  return thrown instanceof Error && thrown.name === 'AbortError'
}
