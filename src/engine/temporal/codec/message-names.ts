import { defaultPayloadConverter, type Payload, RawValue } from '@temporalio/common'

/** What a payload is sent as. `scheduled`: the action of a schedule, which starts workflows. */
export type MessageKind = 'start' | 'scheduled' | 'signal' | 'update' | 'query' | 'activity'

/** The name of a message as payloads hold it: `update opsbookAnswer`. */
export function messageOfKind(kind: MessageKind, name = ''): string {
  return `${kind} ${name}`
}

/** Name in the metadata of a payload: the name of its message. Encrypted payloads are authenticated with it. */
export const messageKey = 'opsbook-message'

/** Values whose payloads name the message that they are sent with. */
export function named(kind: MessageKind, name: string, values: readonly unknown[]): unknown[] {
  const message = new TextEncoder().encode(messageOfKind(kind, name))
  return values.map((value) => {
    const payload = defaultPayloadConverter.toPayload(value)
    return RawValue.fromPayload({ ...payload, metadata: { ...payload.metadata, [messageKey]: message } })
  })
}

/** The message of a payload that was encrypted; empty without one. Undefined: the payload was not encrypted. */
export function messageOf({ metadata }: Payload): string | undefined {
  const message = metadata?.[messageKey]
  return message && new TextDecoder().decode(message)
}

/** Why a payload of one message is not taken as another one. */
export function wrongMessage(found: string, expected = ''): string {
  return `a payload of ${found === '' ? 'no message' : `"${found}"`} was sent as "${expected}"`
}
