import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import {
  DefaultFailureConverter,
  defaultPayloadConverter,
  type LoadedDataConverter,
  type Payload,
  type PayloadCodec,
  type SerializationContext,
} from '@temporalio/common'
import { RunbookError } from '../../../core/run-error.ts'
import { messageKey, messageOfKind } from './message-names.ts'
import { acceptsPlain, keysVariable, type PayloadKey, plainVariable, readPayloadKeys } from './read-keys.ts'
import { unreadable } from './unreadable.ts'

/** How payloads are written and read. */
export interface CodecOptions {
  /** The first one writes, all of them read. Without any, nothing is encrypted. */
  readonly keys: readonly PayloadKey[]
  /**
   * What happens with a payload that cannot be read. Either `PayloadUnreadable` is thrown, or the payload is replaced by
   * the reason. Workers replace: the server would retry a failed task without end.
   */
  readonly onUnreadable: 'throw' | 'replace'
  /**
   * Whether payloads without encryption are read although there are keys.
   * @default false
   */
  readonly acceptsPlain?: boolean
}

/** A larger payload is compressed. */
const leastBytes = 1024
/** A larger one is not: no payload may decompress to more than this. */
const mostBytes = 64 * 1024 * 1024
const encoding = 'binary/opsbook'
const names = {
  inner: 'opsbook-encoding',
  isGzip: 'opsbook-gzip',
  key: 'opsbook-key',
  workflow: 'opsbook-workflow',
  activity: 'opsbook-activity',
} as const
const nonceBytes = 12
const tagBytes = 16

const compress = promisify(gzip)
const decompress = promisify(gunzip)

/**
 * Compresses payloads of more than 1 KiB. With a key, it encrypts all of them with AES-256-GCM, and reads no others. The
 * metadata is authenticated: the id of the key, the workflow and the activity that the payload belongs to, and the name
 * of its message. A payload of another workflow or activity is unreadable.
 */
export function createCodec({ keys, onUnreadable, acceptsPlain = false }: CodecOptions): PayloadCodec {
  const [writer] = keys
  const requiresKey = keys.length > 0 && !acceptsPlain
  const decodeOne = async (payload: Payload, context: SerializationContext | undefined): Promise<Payload> => {
    try {
      if (requiresKey && keyOf(payload) === '') throw notEncrypted()
      return await decode(payload, keys, context)
    } catch (thrown) {
      const message = RunbookError.is(thrown) ? thrown.message : 'a payload is damaged'
      if (onUnreadable === 'throw') throw new RunbookError('PayloadUnreadable', message, { cause: thrown })
      return unreadable(message)
    }
  }
  return {
    encode: (payloads, context) =>
      Promise.all(payloads.map((payload) => encode(payload, writer, ownerIn(context)))),
    decode: (payloads, context) => Promise.all(payloads.map((payload) => decodeOne(payload, context))),
  }
}

/** The workflow and the activity that a payload belongs to, as its metadata names them. */
function ownerIn(context: SerializationContext | undefined): Readonly<Record<string, string>> {
  const { workflowId } = context ?? {}
  const activityId = context?.type === 'activity' ? context.activityId : undefined
  return {
    ...(workflowId === undefined ? {} : { [names.workflow]: workflowId }),
    ...(activityId === undefined ? {} : { [names.activity]: activityId }),
  }
}

/** Without a key the name of the message is left out: nothing authenticates it. */
async function encode(
  { metadata, ...payload }: Payload,
  key: PayloadKey | undefined,
  owner: Readonly<Record<string, string>>,
): Promise<Payload> {
  const { [messageKey]: message, ...rest } = metadata ?? {}
  const data = dataOf(payload)
  const isGzip = data.length > leastBytes && data.length <= mostBytes
  if (!isGzip && !key) return { ...payload, metadata: rest }
  const short = isGzip ? await compress(data) : data
  const written = {
    ...rest,
    encoding: bytes(encoding),
    [names.inner]: rest['encoding'] ?? bytes(''),
    ...(isGzip ? { [names.isGzip]: bytes('1') } : {}),
  }
  if (!key) return { metadata: written, data: short }
  const authenticated = {
    ...written,
    [names.key]: bytes(key.id),
    ...(message ? { [messageKey]: message } : {}),
    ...Object.fromEntries(Object.entries(owner).map(([name, value]) => [name, bytes(value)])),
  }
  return { metadata: authenticated, data: encrypt(short, key, authenticated) }
}

/** The name of the message stays in the metadata; of an encrypted payload without one, it is empty. */
async function decode(
  payload: Payload,
  keys: readonly PayloadKey[],
  context: SerializationContext | undefined,
): Promise<Payload> {
  if (text(payload, 'encoding') !== encoding) return payload
  const keyId = keyOf(payload)
  const raw = dataOf(payload)
  const short = keyId === '' ? raw : decrypt(raw, findKey(keys, keyId), payload.metadata ?? {})
  if (keyId !== '') requireOwner(payload, ownerIn(context))
  const data =
    text(payload, names.isGzip) === '1' ? await decompress(short, { maxOutputLength: mostBytes }) : short
  const { [messageKey]: message = bytes(''), ...rest } = payload.metadata ?? {}
  const metadata: Record<string, Uint8Array> = { ...rest, encoding: bytes(text(payload, names.inner)) }
  for (const name of Object.values(names)) delete metadata[name]
  if (keyId !== '') metadata[messageKey] = message
  return { metadata, data }
}

function keyOf(payload: Payload): string {
  return text(payload, 'encoding') === encoding ? text(payload, names.key) : ''
}

function notEncrypted(): RunbookError {
  const message = `a payload is not encrypted, and ${keysVariable} is set here: ${plainVariable}=1 reads it`
  return new RunbookError('PayloadUnreadable', message)
}

/** The server adds it to the id that the action of a schedule names. */
const addedTime = /-\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/

/** Throws for a payload of another workflow or activity, where the reader knows its own. */
function requireOwner(payload: Payload, reader: Readonly<Record<string, string>>): void {
  const isScheduled = text(payload, messageKey).startsWith(messageOfKind('scheduled'))
  for (const [name, expected] of Object.entries(reader)) {
    const found = text(payload, name)
    if (found === expected || (isScheduled && found === expected.replace(addedTime, ''))) continue
    const kind = name === names.workflow ? 'workflow' : 'activity'
    const message = `a payload of the ${kind} "${found}" was sent to "${expected}"`
    throw new RunbookError('PayloadUnreadable', message)
  }
}

function findKey(keys: readonly PayloadKey[], id: string): PayloadKey {
  const key = keys.find((one) => one.id === id)
  if (key) return key
  const known = keys.length === 0 ? 'none is configured' : `there is ${keys.map((one) => one.id).join(', ')}`
  throw new RunbookError('PayloadUnreadable', `a payload is encrypted with the key ${id}, and ${known}`)
}

type Metadata = Readonly<Record<string, Uint8Array>>

function encrypt(data: Uint8Array, { secret }: PayloadKey, metadata: Metadata): Uint8Array {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv('aes-256-gcm', secret, nonce).setAAD(authenticated(metadata))
  const hidden = Buffer.concat([cipher.update(data), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), hidden])
}

function decrypt(data: Uint8Array, { id, secret }: PayloadKey, metadata: Metadata): Uint8Array {
  try {
    const nonce = data.subarray(0, nonceBytes)
    // Without the length a tag of four bytes is accepted, which can be guessed.
    const decipher = createDecipheriv('aes-256-gcm', secret, nonce, { authTagLength: tagBytes })
      .setAAD(authenticated(metadata))
      .setAuthTag(data.subarray(nonceBytes, nonceBytes + tagBytes))
    return Buffer.concat([decipher.update(data.subarray(nonceBytes + tagBytes)), decipher.final()])
  } catch (cause) {
    const message = `a payload cannot be decrypted: it was changed, or the key with the id ${id} is another one`
    throw new RunbookError('PayloadUnreadable', message, { cause })
  }
}

/** All of the metadata, in an order that does not depend on who sends it. */
function authenticated(metadata: Metadata): Uint8Array {
  const entries = Object.entries(metadata).map(([name, value]) => [
    name,
    Buffer.from(value).toString('base64'),
  ])
  return bytes(JSON.stringify(entries.sort(([one = ''], [other = '']) => (one < other ? -1 : 1))))
}

/** The SDK writes the empty result of a workflow as a list and not as bytes. */
function dataOf({ data }: Payload): Uint8Array {
  return data && data.length > 0 ? data : new Uint8Array()
}

function text({ metadata }: Payload, name: string): string {
  const value = metadata?.[name]
  return value ? Buffer.from(value).toString() : ''
}

function bytes(value: string): Uint8Array {
  return Buffer.from(value)
}

/**
 * Converts values for the server, with the keys of the environment. With keys, the messages of failures are encrypted,
 * too: by default the server stores them as plain text.
 */
export function dataConverterFor(onUnreadable: CodecOptions['onUnreadable']): LoadedDataConverter {
  const keys = readPayloadKeys(process.env[keysVariable])
  return {
    payloadConverter: defaultPayloadConverter,
    failureConverter: new DefaultFailureConverter({ encodeCommonAttributes: keys.length > 0 }),
    payloadCodecs: [createCodec({ keys, onUnreadable, acceptsPlain: acceptsPlain() })],
  }
}
