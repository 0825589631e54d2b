import { randomBytes } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import type { Context } from '@temporalio/activity'
import { defaultDataConverter, type Payload, RawValue, type SerializationContext } from '@temporalio/common'
import {
  decodeArrayFromPayloads,
  encodeToPayloads,
} from '@temporalio/common/lib/internal-non-workflow/index.js'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createCodec } from '../../../src/engine/temporal/codec/create-codec.ts'
import { messageOf, named } from '../../../src/engine/temporal/codec/message-names.ts'
import { type PayloadKey, readPayloadKeys } from '../../../src/engine/temporal/codec/read-keys.ts'
import { whyUnreadable } from '../../../src/engine/temporal/codec/unreadable.ts'
import { heartbeatIn, workerPayloads } from '../../../src/engine/temporal/codec/worker-payloads.ts'

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

const workflow = (workflowId: string): SerializationContext => ({
  type: 'workflow',
  namespace: 'n',
  workflowId,
})
const activity = (workflowId: string, activityId: string): SerializationContext => ({
  type: 'activity',
  namespace: 'n',
  workflowId,
  activityId,
  isLocal: false,
})

const long = { text: 'all the same '.repeat(1000) }

describe('payloads', () => {
  it('come back as they were, compressed and encrypted or not', async () => {
    for (const keys of [[], [fresh], [fresh, old]])
      for (const value of [null, 'short', long, { secret: 'canary-7' }]) {
        const codec = codecWith(keys)
        const [decoded] = await codec.decode(await codec.encode([payloadOf(value)]))
        expect(readValue(decoded as Payload)).toEqual(value)
        // Of an encrypted payload the reader learns the message, even where it has none.
        const message = keys.length > 0 ? ['opsbook-message'] : []
        expect(Object.keys(decoded?.metadata ?? {}).sort()).toEqual(['encoding', 'kind', ...message])
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

  it('that are not encrypted are refused where there is a key, unless the process accepts them', async () => {
    const plain = [payloadOf('short'), ...(await codecWith([]).encode([payloadOf(long)]))]
    for (const payload of plain) {
      await expect(codecWith([fresh]).decode([payload])).rejects.toThrow('a payload is not encrypted')
      const [replaced] = await codecWith([fresh], 'replace').decode([payload])
      expect(whyUnreadable(readValue(replaced as Payload))).toContain('OPSBOOK_TEMPORAL_ALLOW_PLAIN=1')
      const lax = createCodec({ keys: [fresh], onUnreadable: 'throw', acceptsPlain: true })
      expect((await lax.decode([payload]))[0]?.metadata?.['opsbook-message']).toBeUndefined()
    }
  })

  it.each<
    [
      why: string,
      from: SerializationContext | undefined,
      to: SerializationContext | undefined,
      taken: boolean,
    ]
  >([
    ['of the same workflow', workflow('a'), workflow('a'), true],
    ['of another workflow', workflow('a'), workflow('b'), false],
    ['of a workflow whose id begins so', workflow('a'), workflow('a-2026-01-01T00:00:00Z'), false],
    ['of no workflow', undefined, workflow('a'), false],
    ['read by someone who knows no workflow', workflow('a'), undefined, true],
    ['of the same activity', activity('a', '1'), activity('a', '1'), true],
    ['of another activity', activity('a', '1'), activity('a', '2'), false],
    ['of an activity of another workflow', activity('a', '1'), activity('b', '1'), false],
    ['of a workflow and no activity', workflow('a'), activity('a', '1'), false],
    ['of an activity, read with its history', activity('a', '1'), workflow('a'), true],
  ])('are bound to their workflow and their activity: one %s', async (_, from, to, isTaken) => {
    const codec = codecWith([fresh], 'replace')
    const [read] = await codec.decode(await codec.encode([payloadOf('yes')], from), to)
    expect(whyUnreadable(readValue(read as Payload)) === undefined).toBe(isTaken)
  })

  it('of a schedule are for the workflows that it starts', async () => {
    const codec = codecWith([fresh])
    const [{ payload } = new RawValue(0)] = named('scheduled', 'runbook/a', ['yes']) as RawValue[]
    const written = await codec.encode([payload], workflow('a'))
    await expect(codec.decode(written, workflow('a-2026-01-01T00:00:00Z'))).resolves.toHaveLength(1)
    for (const other of ['b-2026-01-01T00:00:00Z', 'a-b', 'a-by-hand-2026-01-01T00:00:00Z'])
      await expect(codec.decode(written, workflow(other))).rejects.toMatchObject({
        code: 'PayloadUnreadable',
      })
  })

  it('name their message, which nobody without the key can change', async () => {
    const codec = codecWith([fresh])
    const [{ payload } = new RawValue(0)] = named('update', 'one', ['yes']) as RawValue[]
    const [written] = (await codec.encode([payload], workflow('a'))) as [Payload]
    expect(messageOf((await codec.decode([written]))[0] as Payload)).toBe('update one')
    for (const name of ['opsbook-message', 'opsbook-workflow', 'opsbook-encoding']) {
      const { [name]: found, ...without } = written.metadata ?? {}
      expect([name, found]).not.toContain(undefined)
      for (const metadata of [without, { ...without, [name]: Buffer.from('other') }])
        await expect(codec.decode([{ ...written, metadata }])).rejects.toMatchObject({
          code: 'PayloadUnreadable',
        })
    }
  })

  it('of an activity are for no other one', async () => {
    vi.stubEnv('OPSBOOK_TEMPORAL_KEYS', `new:${Buffer.from(fresh.secret).toString('base64')}`)
    onTestFinished(() => void vi.unstubAllEnvs())
    const { dataConverter, interceptors } = workerPayloads('calls')
    const { payloadCodecs = [] } = dataConverter
    const converter = { ...defaultDataConverter, payloadCodecs }
    const takenBy = async (activityType: string, order: unknown): Promise<unknown> => {
      const sent = (await encodeToPayloads(converter, order)) ?? []
      const args = await decodeArrayFromPayloads(converter, sent)
      const [, orders] = interceptors.activity ?? []
      const { inbound } = orders?.({ info: { activityType } } as Context) ?? {}
      return inbound?.execute?.({ args, headers: {} }, async (input) => input.args[0])
    }
    const [order] = named('activity', 'core/http', [{ url: 'a' }])
    expect(await takenBy('core/http', order)).toEqual({ url: 'a' })
    expect(whyUnreadable(await takenBy('core/command', order))).toContain('"activity core/http"')
    expect(whyUnreadable(await takenBy('core/http', { url: 'a' }))).toContain('a payload of no message')
    // A value that an author chose, and that was encrypted as no order.
    const forged = { opsbookOrderOf: 'activity core/http', order: { url: 'b' } }
    expect(whyUnreadable(await takenBy('core/http', forged))).toContain('a payload of no message')
  })

  it('of an earlier heartbeat are read by the next worker', async () => {
    const details = { isAnnounced: true }
    for (const keys of ['', `new:${Buffer.from(fresh.secret).toString('base64')}`]) {
      vi.stubEnv('OPSBOOK_TEMPORAL_KEYS', keys)
      onTestFinished(() => void vi.unstubAllEnvs())
      const converter = { ...defaultDataConverter, ...workerPayloads('calls').dataConverter }
      const [read] = await decodeArrayFromPayloads(
        converter as never,
        await encodeToPayloads(converter as never, details),
      )
      expect(heartbeatIn(read)).toEqual(details)
    }
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
