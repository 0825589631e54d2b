import { request } from 'undici'
import { describe, expect, it } from 'vitest'
import { linesOf, openFileSandbox, paths } from './open-sandbox.ts'

const sandbox = await openFileSandbox({ limits: false })

const exportSession = async (session_id: string, more: object = {}, key?: string) =>
  await sandbox.call('E6', { session_id, ...more }, key)

describe('who may export', () => {
  it.each([
    ['sess_short', 'sandbox-owner', 'OK'],
    ['sess_lines_0', 'sandbox-owner', 'ResourceNotFound'],
    ['sess_lines_1x', 'sandbox-owner', 'ResourceNotFound'],
  ])('%s by %s: %s', async (id, key, expected) => {
    const { json, headers } = await exportSession(id, {}, key)
    expect(json?.error?.code ?? 'OK').toBe(expected)
    expect(headers['content-type']).toBe(
      expected === 'OK' ? 'application/x-ndjson' : 'application/json; charset=utf-8',
    )
    expect(headers['service-request-id']).toMatch(/^[0-9a-f]{32}$/)
  })
})

describe('lines', () => {
  it.each([
    'sess_short',
    'sess_nested',
    'sess_personal',
    'sess_empty',
    'sess_error_event',
    'sess_numbers',
    'sess_lines_200',
  ])('%s: first the meta line, then events numbered from 1, each line ended', async (id) => {
    const { text } = await exportSession(id)
    expect(text.endsWith('\n')).toBe(true)
    const [meta, ...events] = linesOf(text)
    expect(meta).toMatchObject({ type: 'session_meta', session_id: id, account_id: 1001 })
    expect(meta.started_at < meta.ended_at).toBe(true)
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
    for (const event of events) {
      expect(event).toMatchObject({ type: expect.any(String), ts: expect.stringMatching(/^2026-.*Z$/) })
    }
  })

  it('leave numbers out in sess_gap, and hold integers beyond 2^53 in sess_numbers', async () => {
    const gap = linesOf((await exportSession('sess_gap')).text)
    expect(gap.map(({ seq }) => seq)).toEqual([undefined, 1, 4, 5])
    expect((await exportSession('sess_numbers')).text).toContain('"trace_id":9007199254740993')
  })

  it('can end with an ordinary error event', async () => {
    const last = linesOf((await exportSession('sess_error_event')).text).at(-1)
    expect(last).toMatchObject({ type: 'error', seq: 2, ts: expect.any(String) })
  })
})

describe('a record that breaks off', () => {
  const errorLine = (message: unknown) => ({
    type: 'error',
    error: { code: 'InternalError', message },
    request_id: expect.stringMatching(/^[0-9a-f]{32}$/),
  })

  it('can be a large one that is read too slowly', async () => {
    await sandbox.control('config', { export_cap_ms: 0 })
    const lines = linesOf((await exportSession('sess_lines_100000')).text)
    await sandbox.control('config', { export_cap_ms: 60_000 })
    expect(lines).toEqual([errorLine(expect.stringContaining('0 ms'))])
  })
})

describe('sess_lines_N', () => {
  it.each([1, 2, 64, 65, 66, 1000])('has %i lines, the events of 1,000 bytes each', async (count) => {
    const { text } = await exportSession(`sess_lines_${count}`)
    const lines = text.split('\n')
    expect(lines.pop()).toBe('')
    expect(lines).toHaveLength(count)
    for (const line of lines.slice(1)) expect(Buffer.byteLength(line)).toBe(999)
    expect(lines.slice(1).map((line) => JSON.parse(line).seq)).toEqual(
      lines.slice(1).map((_, index) => index + 1),
    )
  })

  it('is made while it is read, and a reader that stops stops it', async () => {
    const { body } = await request(`${sandbox.url}${paths.E6}?app_key=sandbox-owner`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"session_id":"sess_lines_1000000000"}',
    })
    let bytes = 0
    // The whole record is a terabyte: a sandbox that made it first would never answer.
    for await (const chunk of body) {
      bytes += chunk.length
      if (bytes > 30_000_000) break
    }
    expect((await exportSession('sess_short')).status).toBe(200)
  })
})
