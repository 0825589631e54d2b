import { openNoticeStore } from 'opsbook'
import { expect, it } from 'vitest'
import { systemClock } from '../../../src/engine/attempt/index.ts'
import { answerQuestion } from '../../../src/engine/embedded/index.ts'
import { composeNotices, startDelivery } from '../../../src/notifications/index.ts'
import { systemUserNamed } from '../../support/identity.ts'
import { createStage, type Stage } from '../embedded/support/stage.ts'
import { type Receiver, startReceiver } from './receiver.ts'

const chat = 'env:CHAT_URL'
const pager = 'env:PAGER_URL'
const targets = [
  { on: ['approval_waiting'], reference: chat, format: 'json' },
  { name: 'leads', on: [], reference: pager, format: 'json' },
] as const
const place = { facts: { host: 'ops-1' }, text: 'on ops-1', flags: '--data-dir /srv/opsbook' }
const notices = composeNotices({ targets, place, mask: (text) => text })

const ask = (more: string): string =>
  `  - { id: ok, uses: core/approve, with: { message: Continue?, ${more} } }\n`
const minuteMs = 60_000

/** When the run of a stage has asked: the tests take no time. */
const askedMs = new WeakMap<Stage, number>()

/** A run that asks, and whose process has ended since. */
async function askAndLeave(stage: Stage, steps: string): Promise<string> {
  const handle = await stage.start(steps, { notices })
  for await (const event of handle.events) if (event.type === 'waiting') break
  await expect.poll(() => stage.rows('SELECT status FROM questions')).not.toHaveLength(0)
  handle.interrupt()
  await handle.result
  askedMs.set(stage, systemClock.now())
  return handle.runId
}

/** What arrives as a process looks for due messages at that time. */
async function arriving(stage: Stage, receiver: Receiver, afterMinutes: number): Promise<readonly string[]> {
  const before = receiver.received.length
  await deliver(stage, receiver, afterMinutes)
  return receiver.received
    .slice(before)
    .map(({ body: { kind, reminder, escalated_to } }) =>
      [kind, reminder, escalated_to].filter(Boolean).join(' '),
    )
    .toSorted()
}

function deliver(stage: Stage, receiver: Receiver, afterMinutes: number): Promise<void> {
  return startDelivery({
    dataDir: stage.dataDir,
    references: [chat, pager],
    resolve: async () => receiver.url,
    now: () => (askedMs.get(stage) ?? 0) + afterMinutes * minuteMs,
  }).end(40_000)
}

function answer(stage: Stage, runId: string): Promise<unknown> {
  const given = { approved: true, by: systemUserNamed('ada') }
  return answerQuestion({ dataDir: stage.dataDir, runId, step: 'ok', answer: given })
}

it('reminds until there is an answer, and escalates once, also without a process that executes the run', async () => {
  const [stage, receiver] = [createStage(), await startReceiver()]
  const runId = await askAndLeave(stage, ask('remind: 10m, escalate: { after: 15m, to: leads }'))
  expect(await arriving(stage, receiver, 0)).toEqual(['approval_waiting'])
  expect(await arriving(stage, receiver, 9)).toEqual([])
  expect(await arriving(stage, receiver, 11)).toEqual(['approval_reminder 1'])
  expect(await arriving(stage, receiver, 11)).toEqual([])
  expect(await arriving(stage, receiver, 21)).toEqual(['approval_escalated leads', 'approval_reminder 2'])
  expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(4)
  expect(receiver.received.map(({ id, body }) => body['delivery_id'] === id)).not.toContain(false)
  await answer(stage, runId)
  expect(await arriving(stage, receiver, 31)).toEqual([])
  expect(await arriving(stage, receiver, 500)).toEqual([])
})

it('reminds once of all that was missed', async () => {
  const [stage, receiver] = [createStage(), await startReceiver()]
  await askAndLeave(stage, ask('remind: 10m'))
  expect(await arriving(stage, receiver, 0)).toEqual(['approval_waiting'])
  expect(await arriving(stage, receiver, 55)).toEqual(['approval_reminder 1'])
  expect(await arriving(stage, receiver, 56)).toEqual([])
  expect(await arriving(stage, receiver, 61)).toEqual(['approval_reminder 6'])
})

it('sends at most twenty, and none after the deadline', async () => {
  const [stage, receiver] = [createStage(), await startReceiver()]
  await askAndLeave(stage, ask('remind: 1m'))
  for (let minute = 0; minute < 40; minute++) await deliver(stage, receiver, minute + 0.5)
  expect(receiver.received.map(({ body }) => body['reminder']).filter(Boolean)).toEqual(
    Array.from({ length: 20 }, (_, index) => index + 1),
  )
  const [late, other] = [createStage(), await startReceiver()]
  await askAndLeave(late, ask('remind: 10m, timeout: 15m, escalate: { after: 14m, to: leads }'))
  expect(await arriving(late, other, 0)).toEqual(['approval_waiting'])
  expect(await arriving(late, other, 16)).toEqual([])
})

it('reminds once from several processes at once', async () => {
  const [stage, receiver] = [createStage(), await startReceiver()]
  await askAndLeave(stage, ask('remind: 10m, escalate: { after: 10m, to: leads }'))
  await arriving(stage, receiver, 0)
  await Promise.all([1, 2, 3].map(() => deliver(stage, receiver, 11)))
  expect(receiver.received.map(({ body }) => body.kind).toSorted()).toEqual([
    'approval_escalated',
    'approval_reminder',
    'approval_waiting',
  ])
})

it('goes on after a resume as if the process had never ended', async () => {
  const [stage, receiver] = [createStage(), await startReceiver()]
  const runId = await askAndLeave(stage, ask('remind: 10m'))
  expect(await arriving(stage, receiver, 11)).toEqual(['approval_reminder 1', 'approval_waiting'])
  const again = await stage.reopen(runId, { notices })
  for await (const event of again.events) if (event.type === 'waiting') break
  expect(await arriving(stage, receiver, 12)).toEqual([])
  expect(await arriving(stage, receiver, 21)).toEqual(['approval_reminder 2'])
  await answer(stage, runId)
  expect((await again.result).status).toBe('succeeded')
  expect(await arriving(stage, receiver, 31)).toEqual([])
})

it('escalates to the targets of the question where no target has the name', async () => {
  const [stage, receiver] = [createStage(), await startReceiver()]
  await askAndLeave(stage, ask('escalate: { after: 10m, to: nobody }'))
  expect(await arriving(stage, receiver, 11)).toEqual(['approval_escalated nobody', 'approval_waiting'])
})

it('does not call a reminder undelivered before it is due', async () => {
  const [stage, receiver] = [createStage(), await startReceiver()]
  await askAndLeave(stage, ask('remind: 10m'))
  await arriving(stage, receiver, 0)
  const store = openNoticeStore(stage.dataDir)
  expect(store?.undelivered()).toEqual([])
  expect(store?.undelivered(systemClock.now() + 11 * minuteMs)).toMatchObject([{ target: chat, waiting: 1 }])
  store?.close()
})
