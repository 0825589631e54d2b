import { createSharedLimits } from 'opsbook'
import { expect, it, onTestFinished } from 'vitest'
import type { CallWindows } from '../../../../src/core/action.ts'
import { connectionSubject, subjectOfKey, windowsOf } from '../../../../src/core/pacing/index.ts'
import { openEmbeddedEngine } from '../../../../src/engine/embedded/index.ts'
import { createStage } from '../support/stage.ts'

const look = { perSecond: 100, perMinute: 3 }
const limits = new Map<string, CallWindows>([
  ['monit/look', look],
  ['look', { perMinute: 1 }],
  ['own/call', { perDay: 5 }],
  ['idle/call', { perDay: 5 }],
  [connectionSubject('crm'), { perDay: 20 }],
  [connectionSubject('idle'), { perDay: 20 }],
])

it('says how many calls count, and when the next one can leave; names no account', async () => {
  const { dataDir } = createStage()
  const engine = openEmbeddedEngine(dataDir)
  expect(await engine.readRateUse(limits)).toEqual({ limits: [] })
  const shared = createSharedLimits(dataDir)
  onTestFinished(() => shared.close())
  const firstMs = Date.now()
  for (const [key, calls, windows] of [
    ['acme/monit/look', 3, windowsOf(look)],
    ['other/monit/look', 1, windowsOf(look)],
    ['http crm https://crm.example own/call', 2, windowsOf({ perDay: 5 })],
    ['http crm https://crm.example', 3, windowsOf({ perDay: 20 })],
    ['http unknown https://crm.example', 3, windowsOf({ perDay: 20 })],
  ] as const)
    for (let call = 0; call < calls; call++) {
      const lease = await shared.budget.acquire(key, windows)
      lease.sent()
      lease.done()
    }
  await expect
    .poll(async () => (await engine.readRateUse(limits))?.limits)
    .toEqual([
      {
        action: 'monit/look',
        windows: [
          { per: 'second', used: expect.any(Number), limit: 100 },
          { per: 'minute', used: 3, limit: 3 },
        ],
        free_at: expect.any(String),
      },
      { action: 'own/call', windows: [{ per: 'day', used: 2, limit: 5 }] },
      { connection: 'crm', windows: [{ per: 'day', used: 3, limit: 20 }] },
    ])
  const [fullest] = (await engine.readRateUse(limits))?.limits ?? []
  expect(Date.parse(fullest?.free_at ?? '')).toBeGreaterThan(firstMs + 59_000)
  shared.budget.pause(
    'http crm https://crm.example own/call',
    performance.timeOrigin + performance.now() + 600_000,
  )
  await expect
    .poll(async () => (await engine.readRateUse(limits))?.limits.find(({ action }) => action === 'own/call'))
    .toMatchObject({ is_throttled: true, free_at: expect.any(String) })
})

it.each([
  ['acme/monit/look', 'monit/look'],
  ['acme/look', 'look'],
  ['http crm https://crm.example', 'http crm'],
  ['http crm https://crm.example own/call', 'own/call'],
  ['http crm https://crm.example/own/call', 'http crm'],
  ['http other https://crm.example', undefined],
  ['http crm', undefined],
  ['acme/http crm', undefined],
])('a key %s counts calls of %s', (key, subject) => {
  expect(subjectOfKey(key, limits.keys())).toBe(subject)
})
