import { randomBytes } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import type { Payload } from '@temporalio/common'
import { describe, expect, it } from 'vitest'
import { createCodec } from '../../../src/engine/temporal/codec/create-codec.ts'
import { type PayloadKey, readPayloadKeys } from '../../../src/engine/temporal/codec/read-keys.ts'
import { whyUnreadable } from '../../../src/engine/temporal/codec/unreadable.ts'

const [old] = readPayloadKeys(`old:${randomBytes(32).toString('base64')}`) as [PayloadKey]
const [fresh] = readPayloadKeys(`new:${randomBytes(32).toString('base64')}`) as [PayloadKey]

function payloadOf(value: unknown): Payload {
  return {
    metadata: { encoding: Buffer.from('json/plain'), kind: Buffer.from('kept') },
    data: Buffer.from(JSON.stringify(value)),
  }
}

function readValue({ data }: Payload): unknown {
  return JSON.parse(Buffer.from(data as Uint8Array).toString())
}

const codecWith = (
  keys: readonly PayloadKey[],
  onUnreadable: 'throw' | 'replace' = 'throw',
): ReturnType<typeof createCodec> => createCodec({ keys, onUnreadable })

const long = { text: 'all the same '.repeat(1000) }

describe('payloads', () => {
  it('come back as they were, compressed and encrypted or not', async () => {
    for (const keys of [[], [fresh], [fresh, old]])
      for (const value of [null, 'short', long, { secret: 'canary-7' }]) {
        const codec = codecWith(keys)
        const [decoded] = await codec.decode(await codec.encode([payloadOf(value)]))
        expect(readValue(decoded as Payload)).toEqual(value)
        expect(Object.keys(decoded?.metadata ?? {}).sort()).toEqual(['encoding', 'kind'])
        expect(Buffer.from(decoded?.metadata?.['encoding'] as Uint8Array).toString()).toBe('json/plain')
      }
  })

  it('are compressed where they are long, and left alone where they are short', async () => {
    const [encoded, short] = await codecWith([]).encode([payloadOf(long), payloadOf('short')])
    expect(encoded?.data?.length).toBeLessThan(500)
    expect(short).toEqual(payloadOf('short'))
  })

  it('that hold nothing are written, too', async () => {
    const empty = { metadata: { encoding: Buffer.from('binary/null') } }
    for (const data of [undefined, [] as never, new Uint8Array()]) {
      const codec = codecWith([fresh])
      const [decoded] = await codec.decode(await codec.encode([{ ...empty, ...(data && { data }) }]))
      expect(decoded?.data).toHaveLength(0)
    }
  })

  it('show nothing where there is a key', async () => {
    const [encoded] = await codecWith([fresh]).encode([payloadOf({ secret: 'canary-7' })])
    expect(Buffer.from(encoded?.data as Uint8Array).toString('latin1')).not.toContain('canary')
  })

  it('are read with the key they were written with, and written with the first', async () => {
    const written = await codecWith([old]).encode([payloadOf('then')])
    const [decoded] = await codecWith([fresh, old]).decode(written)
    expect(readValue(decoded as Payload)).toBe('then')
    const [encoded] = await codecWith([fresh, old]).encode([payloadOf('now')])
    expect(Buffer.from(encoded?.metadata?.['opsbook-key'] as Uint8Array).toString()).toBe('new')
  })

  it('that cannot be read are refused by a client, and replaced for a worker', async () => {
    const written = await codecWith([old]).encode([payloadOf('then')])
    const same: PayloadKey = { id: 'old', secret: randomBytes(32) }
    for (const keys of [[], [fresh], [same]]) {
      await expect(codecWith(keys).decode(written)).rejects.toMatchObject({ code: 'PayloadUnreadable' })
      const [replaced] = await codecWith(keys, 'replace').decode(written)
      expect(whyUnreadable(readValue(replaced as Payload))).toContain('old')
    }
    const [damaged] = written as [Payload]
    damaged.data?.reverse()
    await expect(codecWith([old]).decode([damaged])).rejects.toMatchObject({ code: 'PayloadUnreadable' })
  })

  it('are refused with a part of their tag', async () => {
    const codec = codecWith([fresh])
    const [whole] = (await codec.encode([{ ...payloadOf(0), data: new Uint8Array() }])) as [Payload]
    const cut = { ...whole, data: whole.data?.subarray(0, 12 + 4) as Uint8Array }
    await expect(codec.decode([cut])).rejects.toMatchObject({ code: 'PayloadUnreadable' })
  })

  it('are refused where they unfold to more than memory is for', async () => {
    const metadata = { encoding: Buffer.from('binary/opsbook'), 'opsbook-gzip': Buffer.from('1') }
    const data = gzipSync(Buffer.alloc(64 * 1024 * 1024 + 1))
    await expect(codecWith([]).decode([{ metadata, data }])).rejects.toMatchObject({
      code: 'PayloadUnreadable',
    })
  })
})

describe('keys', () => {
  it.each([
    ['short:AAAA', '3 bytes'],
    ['nothing', 'entry 1'],
    [`:${'A'.repeat(43)}=`, 'entry 1'],
    [`a:${'A'.repeat(43)}=,a:${'B'.repeat(43)}=`, 'twice'],
  ])('that are wrong are refused without being shown: %s', (text, why) => {
    expect(() => readPayloadKeys(text)).toThrow(why)
    expect(() => readPayloadKeys(text)).not.toThrow('AAAA')
  })

  it('may be missing', () => {
    expect(readPayloadKeys(undefined)).toEqual([])
    expect(readPayloadKeys(' ')).toEqual([])
  })
})
