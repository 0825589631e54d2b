import { RunbookError, type RunHandle } from 'opsbook'
import { describe, expect, it } from 'vitest'
import { createNoteActions } from '../conformance/note-actions.ts'
import { createStage, type Stage } from './support/stage.ts'

const step = (id: string, action: string, more = ''): string =>
  `  - { id: ${id}, uses: note/${action}, with: { name: ${id} }${more} }\n`

/** Interrupts the run when a call begins, in the middle of it. */
function interruptAt(stage: Stage, name: string): (handle: RunHandle) => void {
  let handle: RunHandle | undefined
  stage.answer = ({ name: called, signal }) => {
    if (called !== name) return { name: called }
    handle?.interrupt()
    return new Promise((resolve) => {
      if (signal.aborted) resolve({})
      signal.addEventListener('abort', () => resolve({}))
    })
  }
  return (one) => {
    handle = one
  }
}

async function interrupted(stage: Stage, steps: string, at: string): Promise<string> {
  const setHandle = interruptAt(stage, at)
  const handle = await stage.start(steps)
  setHandle(handle)
  expect(await handle.result).toMatchObject({ status: 'interrupted' })
  stage.answer = ({ name }) => ({ name })
  stage.calls.splice(0)
  stage.events.splice(0)
  return handle.runId
}

it('continues where an interrupted run stopped: finished steps stay finished', async () => {
  const stage = createStage()
  const steps = `${step('first', 'make')}${step('second', 'read')}${step('third', 'make')}`
  const runId = await interrupted(stage, steps, 'second')
  const report = await stage.resume(runId)
  expect(report).toMatchObject({
    run_id: runId,
    status: 'succeeded',
    steps: [
      { path: 'first', status: 'succeeded', attempts: 1 },
      { path: 'second', status: 'succeeded', attempts: 1 },
      { path: 'third', status: 'succeeded', attempts: 1 },
    ],
  })
  expect(stage.calls).toEqual(['read second', 'create third'])
  expect(stage.events.filter(({ type }) => type === 'attempt_succeeded')).toMatchObject([
    { path: 'first', from_journal: true },
    { path: 'second' },
    { path: 'third' },
  ])
  expect(stage.rows('SELECT status, resumes FROM runs')).toEqual([{ status: 'succeeded', resumes: 1 }])
})

it('keeps the times of what was done before', async () => {
  const stage = createStage()
  const steps = `${step('first', 'make')}${step('second', 'read')}`
  const runId = await interrupted(stage, steps, 'second')
  const before = stage.reader().readRun(runId)
  const report = await stage.resume(runId)
  expect(report.started_at).toBe(before?.started_at)
  expect(report.steps[0]).toEqual(before?.steps[0])
})

it('records of a step that ends otherwise than before nothing of what it was before', async () => {
  const stage = createStage()
  const steps = `${step('first', 'make')}${step('second', 'read')}`
  const runId = await interrupted(stage, steps, 'second')
  const before = stage.reader().readRun(runId)
  stage.execute(`UPDATE steps SET status = 'failed', error = '{"code":"AccessDenied","message":"no"}',
    details = '{"is_warning":true,"caught":{"code":"AccessDenied","message":"no"}}' WHERE path = 'first'`)
  const report = await stage.resume(runId)
  expect(report.steps[0]).toEqual({ ...before?.steps[0], ended_at: expect.any(String) })
  expect(stage.reader().readRun(runId)?.steps[0]).toEqual(report.steps[0])
})

it('sees the outputs of finished steps again, and the inputs it was started with', async () => {
  const stage = createStage()
  const steps = `${step('first', 'make')}${step('second', 'read')}  - { id: third, uses: note/make, with: { name: "\${{ steps.first.outputs.name + inputs.who }}" } }\n`
  const setHandle = interruptAt(stage, 'second')
  const handle = await stage.start(steps, { inputs: { who: ' and Ada' } })
  setHandle(handle)
  await handle.result
  stage.answer = () => ({})
  await stage.resume(handle.runId)
  expect(stage.calls.at(-1)).toBe('create first and Ada')
})

it('emits what it only replays, and does not record it a second time', async () => {
  const stage = createStage()
  const log = `  - { id: say, uses: core/log, with: { message: hello } }\n`
  const runId = await interrupted(stage, `${log}${step('first', 'make')}${step('second', 'read')}`, 'second')
  const before = [...stage.reader().readEvents(runId)]
  await stage.resume(runId)
  expect(stage.events.map(({ type }) => type)).toContain('logged')
  const recorded = [...stage.reader().readEvents(runId)].slice(before.length).map(({ event }) => event)
  expect(recorded.map((event) => [event.type, 'path' in event ? event.path : ''])).toEqual([
    ['run_started', ''],
    ['step_started', 'second'],
    ['attempt_started', 'second'],
    ['attempt_succeeded', 'second'],
    ['step_finished', 'second'],
    ['run_finished', ''],
  ])
})

it('continues in the middle of a loop, of branches and of a poll', async () => {
  const stage = createStage()
  const steps = `
  - id: hosts
    for-each: { items: [a, b, c] }
    steps:
      - { id: open, uses: note/make, with: { name: "open \${{ item }}" } }
      - { id: look, uses: note/read, with: { name: "look \${{ item }}" } }
  - id: both
    parallel:
      - { id: left, uses: note/put, with: { name: left } }
      - { id: right, uses: note/put, with: { name: right } }
`
  const runId = await interrupted(stage, steps, 'look b')
  expect(await stage.resume(runId)).toMatchObject({ status: 'succeeded' })
  expect(stage.calls).toEqual([
    'read look b',
    'create open c',
    'read look c',
    'idempotent left',
    'idempotent right',
  ])
  const paths = stage
    .reader()
    .readRun(runId)
    ?.steps.map(({ path, status }) => `${path} ${status}`)
  expect(paths?.toSorted()).toEqual(
    [
      ...['hosts', 'hosts[0]/open', 'hosts[0]/look', 'hosts[1]/open', 'hosts[1]/look'],
      ...['hosts[2]/open', 'hosts[2]/look', 'both', 'both/left', 'both/right'],
    ]
      .map((path) => `${path} succeeded`)
      .toSorted(),
  )
})

it('waits from when it first reached a wait', async () => {
  const stage = createStage()
  const steps = `  - { id: pause, uses: core/wait, with: { for: 1h } }\n${step('after', 'read')}`
  const handle = await stage.start(steps)
  for await (const event of handle.events) if (event.type === 'waiting') handle.interrupt()
  const [mark] = stage.rows('SELECT path, reached_at FROM first_reached')
  stage.rows('UPDATE first_reached SET reached_at = reached_at - 3600000 RETURNING path')
  expect(mark).toMatchObject({ path: 'pause' })
  expect(await stage.resume(handle.runId)).toMatchObject({ status: 'succeeded' })
  expect(stage.calls).toEqual(['read after'])
})

it('replays the record in its order, before it does anything new', async () => {
  const stage = createStage()
  const steps = `
  - id: both
    parallel:
      - id: left
        steps:
          - { id: one, uses: note/read, with: { name: one } }
          - { id: two, uses: note/make, with: { name: two } }
      - { id: right, uses: note/read, with: { name: right } }
    on-branch-error: cancel-others
    catch:
      - errors: [all]
        steps:
          - { id: hang, uses: note/read, with: { name: hang } }
`
  const setHandle = interruptAt(stage, 'hang')
  const hang = stage.answer
  let release = (): void => {}
  const isLeftOver = new Promise<void>((resolve) => {
    release = resolve
  })
  stage.answer = async (call) => {
    if (call.name !== 'right') return hang(call)
    await isLeftOver
    throw new RunbookError('ResourceNotFound', 'no right')
  }
  const handle = await stage.start(steps, {
    onEvent: (event) => {
      if (event.type === 'step_finished' && event.path === 'both/left') release()
    },
  })
  setHandle(handle)
  expect((await handle.result).status).toBe('interrupted')
  stage.answer = ({ name }) => ({ name })
  stage.events.splice(0)
  expect((await stage.resume(handle.runId)).status).toBe('succeeded')
  const ended = stage.events.flatMap((event) =>
    event.type === 'step_finished' ? [`${event.path} ${event.status}`] : [],
  )
  expect(ended).toEqual([
    'both/left/one succeeded',
    'both/left/two succeeded',
    'both/left succeeded',
    'both/right failed',
    'both/hang succeeded',
    'both succeeded',
  ])
})

describe('an attempt that was begun and never ended', () => {
  /** The record of a run that died in the middle of its call: as a killed process leaves it. */
  async function lost(stage: Stage, action: string, attempts = 1): Promise<string> {
    const report = await stage.run(step('lost', action, `, retry: { attempts: ${attempts}, delay: 1ms }`))
    stage.loseCalls()
    stage.calls.splice(0)
    return report.run_id
  }

  it.each(['read', 'put'])('is made again where it is %s', async (action) => {
    const stage = createStage()
    const runId = await lost(stage, action)
    expect(await stage.resume(runId)).toMatchObject({ status: 'succeeded', steps: [{ attempts: 1 }] })
    expect(stage.calls).toHaveLength(1)
    expect(stage.rows('SELECT attempt FROM attempts')).toEqual([{ attempt: 1 }])
  })

  it('is an unknown outcome where it is a create, and nothing is sent', async () => {
    const stage = createStage()
    const runId = await lost(stage, 'make')
    expect(await stage.resume(runId)).toMatchObject({
      status: 'unknown',
      error: {
        code: 'OutcomeUnknown',
        path: 'lost',
        message: expect.stringContaining('note/make was begun'),
      },
      steps: [{ status: 'unknown' }],
    })
    expect(stage.calls).toEqual([])
    await expect(stage.resume(runId)).rejects.toMatchObject({ code: 'OutcomeUnknown' })
  })

  it('is not overlooked when the run is cancelled before it comes there', async () => {
    const stage = createStage()
    const steps = `${step('first', 'read')}${step('lost', 'make')}`
    const { run_id } = await stage.run(steps)
    stage.loseCalls('lost')
    const handle = await stage.reopen(run_id)
    handle.cancel()
    expect(await handle.result).toMatchObject({ status: 'unknown', error: { path: 'lost' } })
  })

  it('is an unknown outcome if it is idempotent and is now refused', async () => {
    const stage = createStage()
    const runId = await lost(stage, 'put')
    stage.answer = () => {
      throw new RunbookError('AccessDenied', 'no longer allowed')
    }
    expect(await stage.resume(runId)).toMatchObject({
      status: 'unknown',
      error: { code: 'OutcomeUnknown', details: { errors: [{ code: 'AccessDenied' }] } },
    })
  })

  it('is an unknown outcome where it is idempotent and refused in the end, whatever comes in between', async () => {
    const stage = createStage()
    const runId = await lost(stage, 'put', 3)
    stage.answer = ({ attempt }) => {
      throw new RunbookError(attempt === 1 ? 'RequestLocked' : 'AccessDenied', `no ${attempt}`)
    }
    expect(await stage.resume(runId)).toMatchObject({
      status: 'unknown',
      error: {
        code: 'OutcomeUnknown',
        message: expect.stringContaining('a process ended in the middle of it; then: no 1; then: no 2'),
        details: { errors: [{ code: 'RequestLocked' }, { code: 'AccessDenied' }] },
      },
    })
    expect(stage.calls).toHaveLength(2)
  })

  it('has the same outcome after a second process has stopped before it sent anything', async () => {
    const stage = createStage()
    const runId = await lost(stage, 'put')
    const run = async (): Promise<never> => {
      handle.interrupt()
      throw new RunbookError('Cancelled', 'given up before it was sent', { notSent: true })
    }
    const waiting = createNoteActions(() => ({})).map((action) => ({ ...action, run }))
    const handle = await stage.reopen(runId, { actions: waiting })
    expect(await handle.result).toMatchObject({ status: 'interrupted' })
    stage.answer = () => {
      throw new RunbookError('AccessDenied', 'no longer allowed')
    }
    expect(await stage.resume(runId)).toMatchObject({ status: 'unknown' })
  })

  it('can be a file, which is written again', async () => {
    const stage = createStage()
    const report = await stage.run(
      '  - { id: note, uses: core/write, with: { content: hello }, save-as: note.txt }\n',
    )
    stage.loseCalls()
    expect(await stage.resume(report.run_id)).toMatchObject({ status: 'succeeded' })
  })
})

it('never takes the answer of another call: PlanDrift', async () => {
  const stage = createStage()
  const runId = await interrupted(stage, `${step('first', 'make')}${step('second', 'read')}`, 'second')
  stage.rows("UPDATE attempts SET argument_hash = 'other' WHERE path = 'first' RETURNING id")
  expect(await stage.resume(runId)).toMatchObject({
    status: 'failed',
    error: { code: 'PlanDrift', path: 'first' },
  })
  expect(stage.calls).toEqual([])
})

it('repeats nothing that was cancelled while it waited to be sent', async () => {
  const stage = createStage()
  const runId = await interrupted(stage, step('first', 'read'), 'first')
  expect(stage.rows('SELECT attempt, ended_at FROM attempts')).toEqual([{ attempt: 1, ended_at: null }])
  expect(await stage.resume(runId)).toMatchObject({ status: 'succeeded', steps: [{ attempts: 1 }] })
})

it.each([
  ['succeeded', 'nothing is left to do'],
  ['cancelled', 'start it anew'],
])('refuses a run that has %s', async (status, said) => {
  const stage = createStage()
  const { run_id } = await stage.run(step('first', 'read'))
  stage.rows(`UPDATE runs SET status = '${status}' RETURNING id`)
  await expect(stage.resume(run_id)).rejects.toMatchObject({
    code: 'InvalidInput',
    message: expect.stringContaining(said),
  })
})

it('says that there is no such run, and makes nothing', async () => {
  const stage = createStage()
  const refusal = { code: 'InvalidInput', message: expect.stringContaining('there is no run run_x') }
  await expect(stage.resume('run_x')).rejects.toMatchObject(refusal)
  await expect(stage.resume('run_x', { dataDir: `${stage.dataDir}/none` })).rejects.toMatchObject(refusal)
  await stage.run(step('first', 'read'))
  await expect(stage.resume('run_x')).rejects.toMatchObject(refusal)
})
