import {
  type Clock,
  type ControlKind,
  closeRun,
  RunbookError,
  type RunHandle,
  type RunOptions,
  requestControl,
} from 'opsbook'
import { expect, it } from 'vitest'
import { systemUserNamed } from '../../support/identity.ts'
import { createStage, type Stage } from './support/stage.ts'

/** A call that stays in flight until it is released or cancelled. */
function hold(stage: Stage, held: string): { readonly begun: Promise<void>; letGo(): void } {
  let begin = (): void => {}
  let letGo = (): void => {}
  const begun = new Promise<void>((resolve) => {
    begin = resolve
  })
  const over = new Promise<void>((resolve) => {
    letGo = resolve
  })
  stage.answer = async ({ name, signal }) => {
    if (name !== held) return { name }
    begin()
    await Promise.race([over, new Promise((resolve) => signal.addEventListener('abort', resolve))])
    return { name }
  }
  return { begun, letGo }
}

const ada = (kind: ControlKind) => ({ kind, by: systemUserNamed('ada'), comment: 'enough' })

function tell(stage: Stage, { runId }: RunHandle, kind: ControlKind): Promise<boolean> {
  return requestControl({ dataDir: stage.dataDir, runId, ...ada(kind) })
}

/** A clock that stands still until it is moved on. */
function createHandClock(): Clock & { advance(milliseconds: number): void } {
  let now = Date.parse('2026-03-01T03:00:00Z')
  const waiting = new Map<() => void, number>()
  return {
    now: () => now,
    waitUntil: (timeMs, ...stops) =>
      new Promise((resolve) => {
        if (timeMs <= now) return resolve()
        waiting.set(resolve, timeMs)
        for (const stop of stops) stop.onCancel(resolve)
      }),
    advance(milliseconds) {
      now += milliseconds
      for (const [resolve, timeMs] of waiting) if (timeMs <= now) resolve()
    },
  }
}

/** A run that is paused after its call of this name: nothing of it is in flight any more. */
async function paused(stage: Stage, held: string, steps: string, options: Partial<RunOptions> = {}) {
  const { begun, letGo } = hold(stage, held)
  const handle = await stage.start(steps, options)
  await begun
  await tell(stage, handle, 'pause')
  expect(stage.reader().readRun(handle.runId)?.status).toBe('paused')
  letGo()
  await expect.poll(() => stage.events.map(({ type }) => type)).toContain('waiting')
  return handle
}

const cleaned = `  - { id: work, uses: note/read, with: { name: work } }
  - { id: after, uses: note/make, with: { name: after } }
finally:
  - { id: tidy, uses: note/put, with: { name: tidy } }
  - { id: sweep, uses: note/put, with: { name: sweep } }
`

it('cancels a run from another process: a read is cancelled, clean-up runs', async () => {
  const stage = createStage()
  const { begun } = hold(stage, 'work')
  const handle = await stage.start(cleaned)
  await begun
  expect(await tell(stage, handle, 'cancel')).toBe(true)
  expect(await handle.result).toMatchObject({ status: 'cancelled' })
  expect(stage.calls).toEqual(['read work', 'idempotent tidy', 'idempotent sweep'])
  expect(stage.events).toContainEqual(
    expect.objectContaining({ type: 'run_cancelling', by: systemUserNamed('ada'), comment: 'enough' }),
  )
})

it('awaits a write that is on its way, and keeps what it came to', async () => {
  const stage = createStage()
  const { begun, letGo } = hold(stage, 'made')
  const handle = await stage.start(
    '  - { id: made, uses: note/make, with: { name: made } }\n  - { id: next, uses: note/make, with: { name: next } }\n',
  )
  await begun
  await tell(stage, handle, 'cancel')
  letGo()
  expect(await handle.result).toMatchObject({
    status: 'cancelled',
    steps: [{ path: 'made', status: 'succeeded' }, { path: 'next' }],
  })
  expect(stage.calls).toEqual(['create made'])
})

it.each([
  { name: 'a second control request', kinds: ['cancel', 'cancel'], calls: ['read work', 'idempotent tidy'] },
  { name: 'one that says now', kinds: ['cancel-now'], calls: ['read work'] },
] as const)('gives clean-up up after $name', async ({ kinds, calls }) => {
  const stage = createStage()
  const { begun } = hold(stage, 'work')
  const handle = await stage.start(cleaned)
  await begun
  const [first, second] = kinds
  if (second) {
    const tidy = hold(stage, 'tidy')
    await tell(stage, handle, first)
    await tidy.begun
    await tell(stage, handle, second)
    tidy.letGo()
  } else await tell(stage, handle, first)
  expect((await handle.result).status).toBe('cancelled')
  expect(stage.calls).toEqual(calls)
})

it('pauses: calls in flight end, and no new call is made until it is continued', async () => {
  const stage = createStage()
  const handle = await paused(stage, 'work', cleaned)
  expect(stage.events).toContainEqual(
    expect.objectContaining({ type: 'waiting', path: 'after', reason: 'pause' }),
  )
  expect(stage.calls).toEqual(['read work'])
  await tell(stage, handle, 'unpause')
  expect((await handle.result).status).toBe('succeeded')
  expect(stage.calls).toEqual(['read work', 'create after', 'idempotent tidy', 'idempotent sweep'])
})

it('continues at the first unpause, also where it was paused a second time meanwhile', async () => {
  const stage = createStage()
  const handle = await paused(stage, 'work', cleaned)
  await tell(stage, handle, 'pause')
  await tell(stage, handle, 'unpause')
  expect((await handle.result).status).toBe('succeeded')
  expect(stage.calls).toEqual(['read work', 'create after', 'idempotent tidy', 'idempotent sweep'])
})

it('can be cancelled and interrupted while it is paused', async () => {
  const stage = createStage()
  const handle = await paused(stage, 'work', cleaned)
  handle.interrupt()
  expect((await handle.result).status).toBe('interrupted')

  const resumed = await stage.reopen(handle.runId)
  await expect.poll(() => stage.reader().readRun(handle.runId)?.status).toBe('paused')
  await tell(stage, resumed, 'cancel')
  expect((await resumed.result).status).toBe('cancelled')
  expect(stage.calls).toEqual(['read work', 'idempotent tidy', 'idempotent sweep'])
})

it('does not count the time of a pause as work', async () => {
  const stage = createStage()
  const clock = createHandClock()
  const handle = await paused(
    stage,
    'one',
    '  - id: timed\n    timeout: 5m\n    steps:\n      - { id: one, uses: note/read, with: { name: one } }\n      - { id: two, uses: note/read, with: { name: two } }\n',
    { clock },
  )
  clock.advance(3_600_000)
  await tell(stage, handle, 'unpause')
  expect((await handle.result).status).toBe('succeeded')
})

it('is still cancelled when it is interrupted in its clean-up and resumed', async () => {
  const stage = createStage()
  const { begun } = hold(stage, 'work')
  const handle = await stage.start(cleaned)
  await begun
  const tidy = hold(stage, 'tidy')
  handle.cancel()
  await tidy.begun
  handle.interrupt()
  tidy.letGo()
  expect((await handle.result).status).toBe('interrupted')
  stage.calls.splice(0)
  expect(await stage.resume(handle.runId)).toMatchObject({ status: 'cancelled' })
  expect(stage.calls).toEqual(['idempotent sweep'])
})

it('runs the clean-up of an interrupted run that is cancelled', async () => {
  const stage = createStage()
  const { begun } = hold(stage, 'work')
  const handle = await stage.start(cleaned)
  await begun
  handle.interrupt()
  await handle.result
  expect(await tell(stage, handle, 'cancel')).toBe(false)
  stage.calls.splice(0)
  const cancelled = await stage.reopen(handle.runId, { cancel: { by: systemUserNamed('ada') } })
  expect(await cancelled.result).toMatchObject({ status: 'cancelled' })
  expect(stage.calls).toEqual(['idempotent tidy', 'idempotent sweep'])
})

it('claims a control request before it obeys it, so that it cannot be withdrawn', async () => {
  const stage = createStage()
  const { begun } = hold(stage, 'work')
  const first = await stage.start(cleaned)
  await begun
  first.interrupt()
  await first.result
  // Left by a process that saw the run as running, and checks now whether it still is.
  stage.execute(
    `INSERT INTO control_requests (run_id, kind, requested_by, requested_at) VALUES ('${first.runId}', 'cancel', '${JSON.stringify(systemUserNamed('ada'))}', 1)`,
  )
  const withdrawn: unknown[] = []
  const handle = await stage.reopen(first.runId, {
    onEvent({ type }) {
      if (type === 'run_cancelling')
        withdrawn.push(...stage.rows('DELETE FROM control_requests WHERE taken_at IS NULL RETURNING id'))
    },
  })
  expect((await handle.result).status).toBe('cancelled')
  expect(withdrawn).toEqual([])
  expect(stage.reader().readRun(first.runId)?.control_requests).toMatchObject([
    { kind: 'cancel', by: systemUserNamed('ada') },
  ])
})

it('does not obey a control request that was withdrawn in the instant in which it is taken', async () => {
  const stage = createStage()
  const { begun } = hold(stage, 'work')
  const first = await stage.start('  - { id: work, uses: note/read, with: { name: work } }\n')
  await begun
  first.interrupt()
  await first.result
  stage.answer = ({ name }) => ({ name })
  stage.execute(`INSERT INTO control_requests (run_id, kind, requested_by, requested_at) VALUES ('${first.runId}', 'cancel', '${JSON.stringify(systemUserNamed('ada'))}', 1);
    CREATE TRIGGER gone BEFORE UPDATE OF taken_at ON control_requests BEGIN SELECT RAISE(IGNORE); END`)
  expect((await stage.resume(first.runId)).status).toBe('succeeded')
})

it('closes a run that no process executes, without its clean-up', async () => {
  const stage = createStage()
  const { begun } = hold(stage, 'work')
  const handle = await stage.start(cleaned)
  await begun
  await expect(
    closeRun({ dataDir: stage.dataDir, runId: handle.runId, by: systemUserNamed('ada') }),
  ).rejects.toMatchObject({
    code: 'RunInUse',
  })
  handle.interrupt()
  await handle.result
  stage.calls.splice(0)
  await closeRun({ dataDir: stage.dataDir, runId: handle.runId, by: systemUserNamed('ada') })
  expect(stage.reader().readRun(handle.runId)).toMatchObject({
    status: 'cancelled',
    steps: [
      { path: 'work', status: 'cancelled', error: { code: 'Cancelled', path: 'work' } },
      { path: 'after', status: 'pending' },
      { path: 'tidy', status: 'pending' },
      { path: 'sweep', status: 'pending' },
    ],
  })
  expect(stage.calls).toEqual([])
  await expect(stage.resume(handle.runId)).rejects.toMatchObject({ code: 'InvalidInput' })
})

it.each(['succeeded', 'failed', 'cancelled'] as const)(
  'refuses control requests for a run that has %s',
  async (status) => {
    const stage = createStage()
    if (status === 'failed') stage.answer = () => Promise.reject(new RunbookError('InvalidParameter', 'no'))
    const handle = await stage.start('  - { id: work, uses: note/read, with: { name: work } }\n')
    if (status === 'cancelled') handle.cancel()
    expect((await handle.result).status).toBe(status)
    await expect(tell(stage, handle, 'pause')).rejects.toMatchObject({ code: 'InvalidInput' })
    expect(stage.rows('SELECT * FROM control_requests WHERE over_at IS NULL')).toEqual([])
  },
)
