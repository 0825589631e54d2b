import { randomUUID } from 'node:crypto'
import { encodeToPayloads } from '@temporalio/common/lib/internal-non-workflow/index.js'
import { describe, expect, it } from 'vitest'
import type { RejectedCandidate } from '../../../src/core/triggers/event-evaluation.ts'
import type { EventRecord } from '../../../src/core/triggers/event-record.ts'
import { dataConverterFor } from '../../../src/engine/temporal/codec/create-codec.ts'
import { trimCandidate } from '../../../src/engine/temporal/received-events/order-of.ts'
import {
  createEventState,
  type EventState,
  type KeptStart,
  pruneState,
} from '../../../src/engine/temporal/workflow/received-events/event-state.ts'
import { systemUserNamed } from '../../support/identity.ts'

const nowMs = Date.parse('2026-11-21T09:00:00Z')

function random(length: number): string {
  let text = ''
  while (text.length < length) text += randomUUID()
  return text.slice(0, length)
}

function refused(id: number, details: number): EventRecord {
  const values = { 'event.title': random(details) }
  const starts = ['a', 'b', 'c', 'd', 'e'].map((runbook) => ({
    runbook,
    trigger: 0,
    because: 'where_false' as const,
    message: 'its condition is false',
    details: { values },
  }))
  const received_at = '2026-11-21T09:00:00.000Z'
  return { hook: 'h', event_id: String(id), type: 'incident', received_at, deliveries: 1, starts }
}

function start(id: number, key: number): KeptStart {
  const keys = { dedupeKey: random(key), cooldownKey: random(key) }
  return {
    runbook: 'a',
    trigger: 0,
    runId: `run_${id}`,
    atMs: nowMs + id,
    untilMs: nowMs + 1e6 + id,
    ...keys,
  }
}

async function sent(ledger: EventState): Promise<number> {
  const [payload] = (await encodeToPayloads(dataConverterFor('throw'), ledger)) ?? []
  return payload?.data?.byteLength ?? 0
}

describe('the state is smaller than a server accepts', () => {
  it.each([
    ['large refusals', 6, 100_000, 10, 36],
    ['many refusals', 2500, 300, 10, 36],
    ['many refusals, and starts with long keys', 2500, 300, 12_000, 36],
    ['nothing but starts with the longest keys', 0, 0, 12_000, 512],
  ])('%s', async (_, events, details, starts, key) => {
    const ledger: EventState = {
      ...createEventState(),
      events: Array.from({ length: events }, (__, n) => refused(n, details)),
      starts: Array.from({ length: starts }, (__, n) => start(n, key)),
      pause: { by: systemUserNamed('ada'), since: '2026-11-21T09:00:00.000Z' },
    }
    const startBefore = ledger.starts.at(-1)
    pruneState(ledger, nowMs)
    expect(await sent(ledger)).toBeLessThan(1_600_000)
    expect(ledger.pause).toBeDefined()
    // Later events are evaluated against the newest first.
    expect(ledger.starts.at(-1)).toEqual(startBefore)
    expect(ledger.events.at(-1)?.event_id).toBe(events === 0 ? undefined : String(events - 1))
    const ids = ledger.events.map(({ event_id }) => Number(event_id))
    expect(ids).toEqual(ids.toSorted((one, other) => one - other))
  })

  it('nothing is removed that fits', () => {
    const ledger = {
      ...createEventState(),
      events: [refused(1, 500), refused(2, 500)],
      starts: [start(1, 36)],
    }
    const before = structuredClone(ledger)
    pruneState(ledger, nowMs)
    expect(ledger).toEqual(before)
  })

  it('what runs want goes before events and starts do', () => {
    const listener = (n: number) => ({
      runId: `run_${n}`,
      hooks: ['h'],
      wanted: { h: [{ path: ['id'], value: random(150) }] },
      next: 0,
    })
    const ledger: EventState = {
      ...createEventState(),
      events: Array.from({ length: 100 }, (_, id) => refused(id, 10)),
      starts: Array.from({ length: 100 }, (_, id) => start(id, 10)),
      listeners: Array.from({ length: 5000 }, (_, n) => listener(n)),
    }
    pruneState(ledger, nowMs)
    expect(ledger.events).toHaveLength(100)
    expect(ledger.starts).toHaveLength(100)
    expect(ledger.listeners?.[0]).toEqual({ ...listener(0), wanted: {} })
  })
})

describe('what is sent of a refusal', () => {
  const who = { runbook: 'a', trigger: 0, because: 'inputs_invalid' } as const
  it.each<[string, Pick<RejectedCandidate, 'message' | 'details'>]>([
    ['large inputs', { message: '/name must be text', details: { inputs: { name: 'x'.repeat(1_000_000) } } }],
    [
      'what takes more room as JSON',
      { message: '"'.repeat(5000), details: { inputs: '\u0001'.repeat(5000) } },
    ],
    ['many names', { message: 'x', details: Object.fromEntries([...Array(5000).keys()].map((n) => [n, n])) }],
  ])('has its bounds: %s', (_, told) => {
    expect(JSON.stringify(trimCandidate({ ...who, ...told })).length).toBeLessThan(2300)
  })

  it('is whole where it is small, and its beginning otherwise', () => {
    const small = { ...who, message: '/name must be text', details: { inputs: { name: 1 } } }
    expect(trimCandidate(small)).toEqual(small)
    const large = { ...small, details: { inputs: { name: 'x'.repeat(5000) }, line: 3 } }
    expect(trimCandidate(large)).toMatchObject({
      details: { inputs: expect.stringMatching(/^\{"name":"xxx/), line: 3 },
    })
  })
})
