import { type ConverterHint, defaultPayloadConverter, type PayloadConverter } from '@temporalio/common'
import { workflowInfo } from '@temporalio/workflow'
import { type MessageKind, messageOf, messageOfKind, wrongMessage } from '../codec/message-names.ts'
import { unreadable } from '../codec/unreadable.ts'

/** The message whose payloads a handler takes. Without one: the start of the workflow. */
interface MessageHint extends ConverterHint {
  readonly message?: string
}

/** How a handler takes its arguments: with the payloads of its own message alone. The bound is the number of arguments. */
export function argumentsOf(kind: MessageKind, name: string): ArgumentTypes {
  return typesFor({ converter: 'opsbook', message: messageOfKind(kind, name) })
}

/** Lets workflows take the payloads of a start, and no others. */
export function takeStarts(workflows: readonly ((...args: never[]) => Promise<unknown>)[]): void {
  const staticOptions = { typeInfo: typesFor({ converter: 'opsbook' }) }
  for (const workflow of workflows) Object.assign(workflow, { staticOptions })
}

interface ArgumentTypes {
  readonly inputTypes: { payloadConverterHint: MessageHint }[]
}

function typesFor(payloadConverterHint: MessageHint): ArgumentTypes {
  return { inputTypes: Array.from({ length: mostArguments }, () => ({ payloadConverterHint })) }
}

const mostArguments = 3

/**
 * Replaces an encrypted payload that was sent with another message. A result, a failure and a memo are no message, and
 * their payloads name none.
 *
 * @public for the bundle
 */
export const payloadConverter: PayloadConverter = {
  toPayload: (value) => defaultPayloadConverter.toPayload(value),
  fromPayload(payload, _context, hint) {
    const found = messageOf(payload)
    if (found === undefined) return defaultPayloadConverter.fromPayload(payload)
    const expected = hint ? messagesFor(hint as MessageHint) : ['']
    if (expected.includes(found)) return defaultPayloadConverter.fromPayload(payload)
    return defaultPayloadConverter.fromPayload(unreadable(wrongMessage(found, expected.at(-1))))
  },
}

function messagesFor({ message }: MessageHint): readonly string[] {
  if (message !== undefined) return [message]
  const { workflowType } = workflowInfo()
  return [messageOfKind('scheduled', workflowType), messageOfKind('start', workflowType)]
}
