import { beforeEach, describe, expect, it } from 'vitest'
import { type OperationId, openFileSandbox, openSandbox, validBodies } from './open-sandbox.ts'

const sandbox = await openFileSandbox()

const start = Date.parse('2026-02-01T00:00:00Z')
beforeEach(async () => {
  await sandbox.control('reset', {})
  await sandbox.control('clock', { now: start })
})

const advance = (ms: number): Promise<unknown> => sandbox.control('clock', { advance_ms: ms })

/** The codes of this many calls at once. */
async function codes(
  id: OperationId,
  count: number,
  key?: string,
): Promise<Readonly<Record<string, number>>> {
  const seen: Record<string, number> = {}
  const replies = await Promise.all(
    Array.from({ length: count }, () => sandbox.call(id, validBodies[id], key)),
  )
  for (const { json } of replies) {
    const code = json?.error?.code ?? 'OK'
    seen[code] = (seen[code] ?? 0) + 1
  }
  return seen
}

describe('the windows', () => {
  it('stay exact however many calls there were', async () => {
    for (let minute = 0; minute < 3; minute++) {
      for (let sent = 0; sent < 60; sent += 10) {
        expect(await codes('E5', 10)).toEqual({ OK: 10 })
        await advance(1000)
      }
      expect(await codes('E5', 1)).toEqual({ RequestTooFrequently: 1 })
      await advance(54_000)
    }
  })

  it('slide: a burst across the edge of two seconds is one burst', async () => {
    await advance(900)
    expect(await codes('E5', 10)).toEqual({ OK: 10 })
    await advance(200)
    expect(await codes('E5', 1)).toEqual({ RequestTooFrequently: 1 })
  })
})

describe('who shares a window', () => {
  it('no two operations do', async () => {
    await codes('E4', 10)
    expect(await codes('catalog', 10)).toEqual({ OK: 10 })
    expect(await codes('E5', 10)).toEqual({ OK: 10 })
  })
})

describe('a call above a limit', () => {
  it('says how many whole seconds are missing', async () => {
    await codes('E5', 10)
    await advance(400)
    const reply = await sandbox.call('E5')
    expect({ status: reply.status, after: reply.headers['retry-after'] }).toEqual({ status: 429, after: '1' })
    for (let second = 1; second < 6; second++) {
      await advance(1000)
      await codes('E5', 10)
    }
    await advance(1000)
    // The minute is full since the first ten calls, 6.4 seconds ago.
    expect((await sandbox.call('E5')).headers['retry-after']).toBe('54')
  })

  it('is not counted itself, and is not executed', async () => {
    expect(await codes('E8', 60)).toEqual({ OK: 50, RequestTooFrequently: 10 })
    expect((await sandbox.control('audit')).entries).toHaveLength(50)
    await advance(1000)
    expect(await codes('E8', 50)).toEqual({ OK: 50 })
  })

  it('was counted also when it was refused for what it held, but not without a key', async () => {
    const refused = Array.from({ length: 10 }, () => sandbox.call('E5', {}))
    for (const { json } of await Promise.all(refused)) expect(json.error.code).toBe('InvalidParameter')
    expect(await codes('E5', 1, 'nobody')).toEqual({ Unauthorized: 1 })
    expect(await codes('E5', 1)).toEqual({ RequestTooFrequently: 1 })
  })
})

describe('limits', () => {
  it('can be switched off and on', async () => {
    await sandbox.control('config', { limits: false })
    expect(await codes('E5', 30)).toEqual({ OK: 30 })
    await sandbox.control('config', { limits: true })
    expect(await codes('E5', 11)).toEqual({ OK: 10, RequestTooFrequently: 1 })
  })

  it('are off from the start when asked', async () => {
    const unlimited = await openSandbox({ limits: false })
    const replies = await Promise.all(Array.from({ length: 30 }, () => unlimited.call('E5')))
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]))
    await unlimited.close()
  })
})
