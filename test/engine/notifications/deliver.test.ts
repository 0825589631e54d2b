import { join } from 'node:path'
import { openNoticeStore, type UndeliveredNotices } from 'opsbook'
import { expect, it, onTestFinished, test, vi } from 'vitest'
import { systemClock } from '../../../src/engine/attempt/index.ts'
import type { AskHere } from '../../../src/engine/index.ts'
import { composeNotices, type DeliveryOptions, startDelivery } from '../../../src/notifications/index.ts'
import { systemUserNamed } from '../../support/identity.ts'
import { startChild } from '../embedded/support/child.ts'
import { createStage, type Stage } from '../embedded/support/stage.ts'
import { type Receiver, startReceiver } from './receiver.ts'

const reference = 'env:CHAT_URL'
const place = {
  facts: { host: 'ops-1', data_dir: '/srv/opsbook' },
  text: 'on ops-1, in /srv/opsbook',
  flags: '--data-dir /srv/opsbook',
}
const failing =
  '  - { id: wrong, uses: core/assert, with: { that: ["${{ 1 == 2 }}"], message: it does not hold } }\n'

/** Runs that fail, and so cause notifications. */
async function failingRuns(stage: Stage, count = 1, format: 'json' | 'slack' = 'json'): Promise<void> {
  const target = { on: ['run_failed', 'outcome_unknown'], reference, format }
  const notices = composeNotices({ targets: [target], place, mask: (text) => text })
  for (let run = 0; run < count; run++) expect((await stage.run(failing, { notices })).status).toBe('failed')
  failedMs.set(stage, systemClock.now())
}

/** When the last run of a stage has failed: the tests take no time. */
const failedMs = new WeakMap<Stage, number>()

/** One poll for due notifications, with time for those in flight. */
async function deliver(stage: Stage, receiver: Receiver, more: Partial<DeliveryOptions> = {}): Promise<void> {
  const options = { dataDir: stage.dataDir, references: [reference], resolve: async () => receiver.url }
  await startDelivery({ ...options, ...more }).end(40_000)
}

function undelivered(stage: Stage): readonly UndeliveredNotices[] {
  const store = openNoticeStore(stage.dataDir)
  const rows = store?.undelivered() ?? []
  store?.close()
  return rows
}

function laterBy(stage: Stage, ms: number): Pick<DeliveryOptions, 'now'> {
  const timeMs = (failedMs.get(stage) ?? systemClock.now()) + ms
  return { now: () => timeMs }
}

it('delivers once, with an id in the header and in the document', async () => {
  const [stage, receiver] = [createStage(), await startReceiver()]
  await failingRuns(stage)
  await deliver(stage, receiver)
  await deliver(stage, receiver, laterBy(stage, 3_600_000))
  expect(receiver.received).toEqual([
    {
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      path: '/hooks/T0KEN-4711',
      body: {
        delivery_id: receiver.received[0]?.id,
        kind: 'run_failed',
        runbook: 'test',
        run_id: expect.stringMatching(/^run_/),
        host: 'ops-1',
        data_dir: '/srv/opsbook',
        step: 'wrong',
        message: 'it does not hold',
        error_code: 'AssertionFailed',
        since: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
        commands: [
          expect.stringMatching(/^opsbook show run_\S+ --data-dir \/srv\/opsbook$/),
          expect.stringMatching(/^opsbook resume run_\S+ --data-dir \/srv\/opsbook$/),
        ],
      },
    },
  ])
  expect(undelivered(stage)).toEqual([])
})

it('delivers at once, although the clock of the machine is set back while the process runs', async () => {
  const [stage, receiver] = [createStage(), await startReceiver()]
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 3_600_000 })
  onTestFinished(() => {
    vi.useRealTimers()
  })
  await failingRuns(stage)
  await deliver(stage, receiver)
  expect(receiver.received).toHaveLength(1)
  expect(undelivered(stage)).toEqual([])
})

test.each([
  ['fail', 'it answered with HTTP 500'],
  ['close', /^it could not be reached: (UND_ERR_SOCKET|ECONNRESET)$/],
  ['hang', 'it did not answer in time'],
] as const)(
  'a target that does not take it (%s) gets it again later, under the same id',
  async (manner, why) => {
    const [stage, receiver] = [createStage(), await startReceiver()]
    await failingRuns(stage)
    receiver.manner = manner
    const limit = manner === 'hang' ? { timeLimitMs: 1000 } : {}
    await deliver(stage, receiver, { ...laterBy(stage, 0), ...limit })
    expect(undelivered(stage)).toEqual([
      {
        target: reference,
        waiting: 1,
        givenUp: 0,
        since: expect.any(String),
        lastError: typeof why === 'string' ? why : expect.stringMatching(why),
      },
    ])
    receiver.manner = 'take'
    await deliver(stage, receiver, laterBy(stage, 0))
    expect(receiver.received).toHaveLength(1)
    await deliver(stage, receiver, laterBy(stage, 10_000))
    expect(receiver.received.map(({ id }) => id)).toEqual([
      receiver.received[0]?.id,
      receiver.received[0]?.id,
    ])
    expect(undelivered(stage)).toEqual([])
  },
)

it('waits as long as a target asks for, and longer each time', async () => {
  const [stage, receiver] = [createStage(), await startReceiver()]
  await failingRuns(stage)
  receiver.manner = 'later'
  await deliver(stage, receiver, laterBy(stage, 0))
  await deliver(stage, receiver, laterBy(stage, 7_000_000))
  expect(receiver.received).toHaveLength(1)
  receiver.manner = 'fail'
  await deliver(stage, receiver, laterBy(stage, 7_300_000))
  expect(receiver.received).toHaveLength(2)
  // The second pause is three times the first, give or take a quarter.
  await deliver(stage, receiver, laterBy(stage, 7_300_000 + 11_000))
  expect(receiver.received).toHaveLength(2)
  await deliver(stage, receiver, laterBy(stage, 7_300_000 + 20_000))
  expect(receiver.received).toHaveLength(3)
})

it('is no longer retried after a day, and reports that', async () => {
  const [stage, receiver] = [createStage(), await startReceiver()]
  await failingRuns(stage)
  receiver.manner = 'fail'
  await deliver(stage, receiver, laterBy(stage, 0))
  await deliver(stage, receiver, laterBy(stage, 86_500_000))
  expect(receiver.received).toHaveLength(1)
  expect(undelivered(stage)).toMatchObject([
    { waiting: 0, givenUp: 1, lastError: 'it answered with HTTP 500' },
  ])
})

it('keeps a process that ends no longer than it may; the next one need not wait', async () => {
  const [stage, receiver] = [createStage(), await startReceiver()]
  await failingRuns(stage)
  receiver.manner = 'hang'
  const options = { dataDir: stage.dataDir, references: [reference], resolve: async () => receiver.url }
  const delivery = startDelivery(options)
  await receiver.has(1)
  await delivery.end(0)
  receiver.manner = 'take'
  await deliver(stage, receiver)
  expect(receiver.received).toHaveLength(2)
  expect(undelivered(stage)).toEqual([])
})

it('does not deliver twice from two processes at once', async () => {
  const [stage, receiver] = [createStage(), await startReceiver()]
  await failingRuns(stage, 20)
  while (undelivered(stage).length > 0)
    await Promise.all([deliver(stage, receiver), deliver(stage, receiver)])
  expect(receiver.received).toHaveLength(20)
  expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(20)
})

it('leaves alone what is for targets that are not its own, and says where no address is', async () => {
  const [stage, receiver] = [createStage(), await startReceiver()]
  await failingRuns(stage)
  await deliver(stage, receiver, { references: ['env:OTHER'] })
  await deliver(stage, receiver, { resolve: () => Promise.reject(new Error('CHAT_URL is not set')) })
  expect(receiver.received).toEqual([])
  expect(undelivered(stage)).toMatchObject([{ waiting: 1, lastError: 'CHAT_URL is not set' }])
})

it('survives a process that is killed while a message is on its way', async () => {
  const [stage, receiver] = [createStage(), await startReceiver()]
  receiver.manner = 'hang'
  const child = startChild({
    dataDir: stage.dataDir,
    callsFile: join(stage.dataDir, 'calls.txt'),
    text: 'apiVersion: opsbook/v1\nname: test\nsteps:\n  - { id: ok, uses: core/approve, with: { message: Continue? } }\n',
    notifyUrl: receiver.url,
  })
  await receiver.has(1)
  await child.kill()
  receiver.manner = 'take'
  await deliver(stage, receiver, laterBy(stage, 20_000))
  const [first, second] = receiver.received
  expect(second).toEqual(first)
  expect(second?.body).toMatchObject({ kind: 'approval_waiting', step: 'ok', message: 'Continue?' })
  expect(undelivered(stage)).toEqual([])
})

it('formats a text for a chat, without anything that the chat would take for a mention', async () => {
  const [stage, receiver] = [createStage(), await startReceiver()]
  const target = { on: ['approval_waiting'], reference, format: 'slack' } as const
  const notices = composeNotices({
    targets: [target],
    place,
    mask: (text) => text.replace('4711', '(masked)'),
  })
  const ask =
    '  - { id: ok, uses: core/approve, with: { message: "<!channel> a & b -> 4711", timeout: 10m } }\n'
  let word = ''
  const onQuestion: AskHere = async ({ shown }) => {
    word = shown
    await deliver(stage, receiver)
    return { approved: true, by: systemUserNamed('ann') }
  }
  const { run_id } = await stage.run(ask, { notices, onQuestion })
  const [text = '', ...others] = receiver.received.map(({ body }) => body.text)
  expect(others).toEqual([])
  expect(Object.keys(receiver.received[0]?.body ?? {})).toEqual(['text'])
  expect(text.split('\n')).toEqual([
    '*test* waits for an answer at ok',
    '> &lt;!channel&gt; a &amp; b -&gt; (masked)',
    expect.stringMatching(new RegExp(`^${run_id}, since \\S+Z, until \\S+Z$`)),
    'on ops-1, in /srv/opsbook:',
    `\`opsbook approve ${run_id} ok --shown ${word} --data-dir /srv/opsbook\``,
    `\`opsbook reject ${run_id} ok --shown ${word} --data-dir /srv/opsbook\``,
  ])
})

it('sends no request for an answer that the run has by now', async () => {
  const [stage, receiver] = [createStage(), await startReceiver()]
  const target = { on: ['approval_waiting', 'run_failed'], reference, format: 'json' } as const
  const notices = composeNotices({ targets: [target], place, mask: (text) => text })
  const ask = '  - { id: ok, uses: core/approve, with: { message: Continue? } }\n'
  await stage.run(ask + failing, {
    notices,
    onQuestion: async () => ({ approved: true, by: systemUserNamed('ann') }),
  })
  await deliver(stage, receiver)
  expect(receiver.received.map(({ body }) => body.kind)).toEqual(['run_failed'])
  expect(undelivered(stage)).toEqual([])
})

it('sends nothing about questions that were approved in advance, nor about runs that were cancelled', async () => {
  const stage = createStage()
  const target = { on: ['approval_waiting', 'run_failed'], reference, format: 'json' } as const
  const notices = composeNotices({ targets: [target], place, mask: (text) => text })
  const ask = '  - { id: ok, uses: core/approve, with: { message: Continue? } }\n'
  expect((await stage.run(ask, { notices, approve: 'all' })).status).toBe('succeeded')
  expect(undelivered(stage)).toEqual([])
})

it('is not able to hurt a run: what cannot be made is left out', async () => {
  const stage = createStage()
  const notices = () => {
    throw new Error('no')
  }
  expect((await stage.run(failing, { notices })).error?.code).toBe('AssertionFailed')
  expect(undelivered(stage)).toEqual([])
})
