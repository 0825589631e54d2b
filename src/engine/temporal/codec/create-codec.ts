import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import {
  DefaultFailureConverter,
  defaultPayloadConverter,
  type FailureConverter,
  type LoadedDataConverter,
  type Payload,
  type PayloadCodec,
} from '@temporalio/common'
import { RunbookError } from '../../../core/run-error.ts'
import { keysVariable, type PayloadKey, readPayloadKeys } from './read-keys.ts'
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
}

/** A larger payload is compressed. */
const leastBytes = 1024
/** A larger one is not: no payload may decompress to more than this. */
const mostBytes = 64 * 1024 * 1024
const encoding = 'binary/opsbook'
const names = { inner: 'opsbook-encoding', isGzip: 'opsbook-gzip', key: 'opsbook-key' } as const
const nonceBytes = 12
const tagBytes = 16

const compress = promisify(gzip)
const decompress = promisify(gunzip)

/** Compresses payloads of more than 1 KiB. With a key, it encrypts all of them: AES-256-GCM, with the id of the key in the metadata. */
export function createCodec({ keys, onUnreadable }: CodecOptions): PayloadCodec {
  const [writer] = keys
  const decodeOne = async (payload: Payload): Promise<Payload> => {
    try {
      return await decode(payload, keys)
    } catch (thrown) {
      const message = RunbookError.is(thrown) ? thrown.message : 'a payload is damaged'
      if (onUnreadable === 'throw') throw new RunbookError('PayloadUnreadable', message, { cause: thrown })
      return unreadable(message)
    }
  }
  return {
    encode: (payloads) => Promise.all(payloads.map((payload) => encode(payload, writer))),
    decode: (payloads) => Promise.all(payloads.map(decodeOne)),
  }
}

async function encode(payload: Payload, key: PayloadKey | undefined): Promise<Payload> {
  const data = dataOf(payload)
  const isGzip = data.length > leastBytes && data.length <= mostBytes
  if (!isGzip && !key) return payload
  const inner = text(payload, 'encoding')
  const short = isGzip ? await compress(data) : data
  return {
    metadata: {
      ...payload.metadata,
      encoding: bytes(encoding),
      [names.inner]: bytes(inner),
      ...(isGzip ? { [names.isGzip]: bytes('1') } : {}),
      ...(key ? { [names.key]: bytes(key.id) } : {}),
    },
    data: key ? encrypt(short, key, inner) : short,
  }
}

async function decode(payload: Payload, keys: readonly PayloadKey[]): Promise<Payload> {
  if (text(payload, 'encoding') !== encoding) return payload
  const inner = text(payload, names.inner)
  const keyId = text(payload, names.key)
  const raw = dataOf(payload)
  const short = keyId === '' ? raw : decrypt(raw, findKey(keys, keyId), inner)
  const data =
    text(payload, names.isGzip) === '1' ? await decompress(short, { maxOutputLength: mostBytes }) : short
  const metadata: Record<string, Uint8Array> = { ...payload.metadata, encoding: bytes(inner) }
  for (const name of Object.values(names)) delete metadata[name]
  return { metadata, data }
}

function findKey(keys: readonly PayloadKey[], id: string): PayloadKey {
  const key = keys.find((one) => one.id === id)
  if (key) return key
  const known = keys.length === 0 ? 'none is configured' : `there is ${keys.map((one) => one.id).join(', ')}`
  throw new RunbookError('PayloadUnreadable', `a payload is encrypted with the key ${id}, and ${known}`)
}

function encrypt(data: Uint8Array, { id, secret }: PayloadKey, inner: string): Uint8Array {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv('aes-256-gcm', secret, nonce).setAAD(bytes(`${id} ${inner}`))
  const hidden = Buffer.concat([cipher.update(data), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), hidden])
}

function decrypt(data: Uint8Array, { id, secret }: PayloadKey, inner: string): Uint8Array {
  try {
    const nonce = data.subarray(0, nonceBytes)
    // Without the length a tag of four bytes is accepted, which can be guessed.
    const decipher = createDecipheriv('aes-256-gcm', secret, nonce, { authTagLength: tagBytes })
      .setAAD(bytes(`${id} ${inner}`))
      .setAuthTag(data.subarray(nonceBytes, nonceBytes + tagBytes))
    return Buffer.concat([decipher.update(data.subarray(nonceBytes + tagBytes)), decipher.final()])
  } catch (cause) {
    const message = `a payload cannot be decrypted: its key has the id ${id}, and the key of that name is another one`
    throw new RunbookError('PayloadUnreadable', message, { cause })
  }
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
    payloadCodecs: [createCodec({ keys, onUnreadable })],
  }
}

/** Whether the messages of failures are encrypted. */
export function hidesMessages({ failureConverter }: Pick<LoadedDataConverter, 'failureConverter'>): boolean {
  return isDefault(failureConverter) && failureConverter.options.encodeCommonAttributes
}

function isDefault(converter: FailureConverter): converter is DefaultFailureConverter {
  return converter instanceof DefaultFailureConverter
}
