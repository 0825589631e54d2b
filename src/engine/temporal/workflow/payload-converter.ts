import { type ConverterHint, defaultPayloadConverter, type PayloadConverter } from '@temporalio/common'
import { workflowInfo } from '@temporalio/workflow'
import { type MessageKind, messageOf, messageOfKind, wrongMessage } from '../codec/message-names.ts'
import { unreadable } from '../codec/unreadable.ts'

/** The message whose payloads a handler takes. */
interface MessageHint extends ConverterHint {
  readonly message: string
}

/** How a handler takes its arguments: with the payloads of its own message alone. The bound is the number of arguments. */
export function argumentsOf(
  kind: MessageKind,
  name: string,
): { inputTypes: { payloadConverterHint: MessageHint }[] } {
  const payloadConverterHint: MessageHint = { converter: 'opsbook', message: messageOfKind(kind, name) }
  return { inputTypes: Array.from({ length: mostArguments }, () => ({ payloadConverterHint })) }
}

const mostArguments = 3

/**
 * Replaces an encrypted payload that was sent with another message. Without a handler it is the start of the workflow,
 * or a result, which has no name.
 *
 * @public for the bundle
 */
export const payloadConverter: PayloadConverter = {
  toPayload: (value) => defaultPayloadConverter.toPayload(value),
  fromPayload(payload, _context, hint) {
    const found = messageOf(payload)
    if (found === undefined) return defaultPayloadConverter.fromPayload(payload)
    const expected = hint ? [(hint as MessageHint).message] : ['', ...startsOf(workflowInfo().workflowType)]
    if (expected.includes(found)) return defaultPayloadConverter.fromPayload(payload)
    return defaultPayloadConverter.fromPayload(unreadable(wrongMessage(found, expected.at(-1))))
  },
}

function startsOf(workflowType: string): readonly string[] {
  return [messageOfKind('scheduled', workflowType), messageOfKind('start', workflowType)]
}
