import type { Payload } from '@temporalio/common'

/** A payload as the JSON form of protobuf has it: bytes are base64. */
export interface PayloadJson {
  readonly metadata: Readonly<Record<string, string>>
  readonly data: string
}

/** The payloads of a request body. Undefined: the body is not of that form. */
export function readPayloads(body: unknown): readonly Payload[] | undefined {
  if (!isObject(body) || !Array.isArray(body['payloads'])) return undefined
  const payloads = body['payloads'].map(readPayload)
  return payloads.every((payload) => payload !== undefined) ? payloads : undefined
}

export function payloadJson({ metadata, data }: Payload): PayloadJson {
  const entries = Object.entries(metadata ?? {}).map(([name, value]) => [name, base64(value)] as const)
  return { metadata: Object.fromEntries(entries), data: base64(data ?? new Uint8Array()) }
}

function readPayload(given: unknown): Payload | undefined {
  if (!isObject(given)) return undefined
  // Null stands for a field that is left out.
  const metadata = given['metadata'] ?? {}
  const data = readBytes(given['data'] ?? '')
  if (!isObject(metadata) || !data) return undefined
  const read = new Map<string, Uint8Array>()
  for (const [name, value] of Object.entries(metadata)) {
    const bytes = readBytes(value)
    if (!bytes) return undefined
    read.set(name, bytes)
  }
  return { metadata: Object.fromEntries(read), data }
}

/** Both alphabets of base64, with padding or without. */
function readBytes(value: unknown): Uint8Array | undefined {
  return typeof value === 'string' && /^[A-Za-z0-9+/_-]*={0,2}$/.test(value)
    ? Buffer.from(value, 'base64')
    : undefined
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64')
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
