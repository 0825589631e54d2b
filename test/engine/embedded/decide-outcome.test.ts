import { createActions, type Decision, type decideOutcome, defineAction, RunbookError } from 'opsbook'
import { describe, expect, it } from 'vitest'
import { systemUserNamed } from '../../support/identity.ts'
import { createStage, type Stage } from './support/stage.ts'

const steps = `  - { id: made, uses: note/make, with: { name: made } }
  - { id: after, uses: note/make, with: { name: "after \${{ steps.made.outputs.name }}" } }
finally:
  - { id: tidy, uses: note/put, with: { name: tidy } }
`

/** Ends a run as unknown: the answer of the create was lost. */
async function unknown(stage: Stage, text = steps): Promise<string> {
  stage.answer = ({ name }) => {
    if (name === 'made') throw new RunbookError('ConnectionLost', 'the answer was lost')
    return { name }
  }
  const report = await stage.run(text)
  expect(report).toMatchObject({ status: 'unknown' })
  stage.answer = ({ name }) => ({ name })
  return report.run_id
}

function decide(
  stage: Stage,
  runId: string,
  decision: Decision,
  more: Partial<Parameters<typeof decideOutcome>[0]> = {},
): ReturnType<typeof decideOutcome> {
  return stage.decide(runId, 'made', decision, more)
}

describe('an unknown outcome is resolved, and the run continues', () => {
  it.each([
    {
      decision: 'succeeded',
      more: { outputs: { name: 'by hand' } },
      status: 'succeeded',
      calls: ['create after by hand', 'idempotent tidy'],
    },
    { decision: 'failed', more: {}, status: 'failed', calls: ['idempotent tidy'] },
    {
      decision: 'retry',
      more: {},
      status: 'succeeded',
      calls: ['create made', 'create after made', 'idempotent tidy'],
    },
  ] as const)('as $decision', async ({ decision, more, status, calls }) => {
    const stage = createStage()
    const runId = await unknown(stage)
    await expect(stage.resume(runId)).rejects.toMatchObject({ code: 'OutcomeUnknown' })
    stage.calls.splice(0)
    expect(await decide(stage, runId, decision, more)).toEqual([])
    const report = await stage.resume(runId)
    expect(report.status).toBe(status)
    expect(stage.calls).toEqual(calls)
    if (decision === 'failed') expect(report.error).toMatchObject({ code: 'DecidedFailed', path: 'made' })
    expect(stage.rows('SELECT path, decision, decided_by FROM decisions')).toEqual([
      { path: 'made', decision, decided_by: JSON.stringify(systemUserNamed('ada')) },
    ])
  })
})

it('makes the call again when the run that failed by a decision is resumed', async () => {
  const stage = createStage()
  const runId = await unknown(stage)
  await decide(stage, runId, 'failed')
  await stage.resume(runId)
  stage.calls.splice(0)
  expect((await stage.resume(runId)).status).toBe('succeeded')
  expect(stage.calls).toEqual(['create made', 'create after made', 'idempotent tidy'])
})

it('lets a catch take a decision that it failed', async () => {
  const stage = createStage()
  const runId = await unknown(
    stage,
    `  - id: made
    uses: note/make
    with: { name: made }
    catch:
      - errors: [DecidedFailed]
        steps: [{ id: instead, uses: note/put, with: { name: instead } }]
`,
  )
  stage.calls.splice(0)
  await decide(stage, runId, 'failed')
  expect((await stage.resume(runId)).status).toBe('succeeded')
  expect(stage.calls).toEqual(['idempotent instead'])
})

it.each([
  ['succeeded', ['read last']],
  ['failed', ['create made', 'read last']],
  ['retry', ['create made', 'read last']],
] as const)(
  'settles as %s what a catch has dealt with, so that the run can be changed',
  async (as, calls) => {
    const stage = createStage()
    stage.answer = ({ name }) => {
      if (name === 'made') throw new RunbookError('ConnectionLost', 'the answer was lost')
      if (name === 'last') throw new RunbookError('ResourceNotFound', 'it is not there')
      return { name }
    }
    const { run_id: runId, status } = await stage.run(`  - id: made
    uses: note/make
    with: { name: made }
    catch: [{ errors: [OutcomeUnknown], steps: [{ id: instead, uses: note/put, with: { name: instead } }] }]
  - { id: last, uses: note/read, with: { name: last } }
`)
    expect(status).toBe('failed')
    stage.answer = ({ name }) => ({ name })
    stage.calls.splice(0)
    const changes = { inputs: { other: 1 } }
    await expect(stage.resume(runId, { changes })).rejects.toMatchObject({ code: 'OutcomeUnknown' })
    expect(await decide(stage, runId, as)).toEqual([])
    expect(await stage.resume(runId, { changes })).toMatchObject({ status: 'succeeded' })
    expect(stage.calls).toEqual(calls)
  },
)

it('does not decide what a catch has dealt with in a run that has succeeded', async () => {
  const stage = createStage()
  stage.answer = ({ name }) => {
    if (name === 'made') throw new RunbookError('ConnectionLost', 'the answer was lost')
    return { name }
  }
  const { run_id: runId } = await stage.run(`  - id: made
    uses: note/make
    with: { name: made }
    catch: [{ errors: [OutcomeUnknown], steps: [{ id: instead, uses: note/put, with: { name: instead } }] }]
`)
  await expect(decide(stage, runId, 'retry')).rejects.toMatchObject({ code: 'InvalidInput' })
})

it('emits the events of a call that is made again by a decision, in a run that failed after it', async () => {
  const stage = createStage()
  stage.answer = ({ name }) => {
    if (name === 'made') throw new RunbookError('ConnectionLost', 'the answer was lost')
    throw new RunbookError('ResourceNotFound', 'it is not there')
  }
  const { run_id: runId, status } = await stage.run(`apiVersion: opsbook/v1
name: test
steps:
  - id: all
    steps: [{ id: made, uses: note/make, with: { name: made } }]
    catch: [{ errors: [OutcomeUnknown], steps: [{ id: instead, uses: note/put, with: { name: instead } }] }]
`)
  expect(status).toBe('failed')
  await decide(stage, runId, 'retry')
  const last = [...stage.reader().readEvents(runId)].at(-1)?.seq
  stage.answer = ({ name }) => ({ name })
  expect(await stage.resume(runId)).toMatchObject({ status: 'succeeded' })
  const told = [...stage.reader().readEvents(runId, last)].flatMap(({ event }) =>
    'path' in event && event.path === 'all/made' ? [event.type] : [],
  )
  expect(told).toEqual(['step_started', 'attempt_started', 'attempt_succeeded', 'step_finished'])
})

it('settles several one by one, in loops too', async () => {
  const stage = createStage()
  const runId = await unknown(
    stage,
    `  - { id: made, for-each: { items: [1, 2, 3], max-parallel: 3 }, uses: note/make, with: { name: made } }\n`,
  )
  await expect(decide(stage, runId, 'retry')).rejects.toMatchObject({
    code: 'InvalidInput',
    message: expect.stringContaining('made[0], made[1], made[2]'),
  })
  const rest = await decide(stage, runId, 'succeeded', { step: 'made[1]' })
  expect(rest.map(({ path }) => path)).toEqual(['made[0]', 'made[2]'])
  await decide(stage, runId, 'retry', { step: 'made[0]' })
  await expect(stage.resume(runId)).rejects.toMatchObject({ message: expect.stringContaining('made[2]') })
  await decide(stage, runId, 'failed', { step: 'made[2]' })
  stage.calls.splice(0)
  expect(await stage.resume(runId)).toMatchObject({ status: 'failed' })
  expect(stage.calls).toEqual(['create made'])
})

describe('a group of a batch that creates', () => {
  const list = { type: 'array', items: { type: 'string' } } as const

  /** Two names a call; the answer for the second call is lost. */
  async function lostGroup(sent: string[]): Promise<{ readonly stage: Stage; readonly runId: string }> {
    let isLost = true
    const actions = createActions([
      defineAction<{ names: string[] }>({
        name: 'note/many',
        summary: 'Makes many notes',
        safety: 'create',
        batch: { argument: 'names', results: 'made', size: 2, isPositional: true },
        input: { type: 'object', required: ['names'], properties: { names: list } },
        output: { type: 'object', properties: { made: list } },
        run({ names }) {
          sent.push(names.join())
          if (isLost && names.includes('c')) throw new RunbookError('ConnectionLost', 'the answer was lost')
          return { made: names }
        },
      }),
    ])
    const stage = createStage(actions.filter(({ name }) => name === 'note/many'))
    const { run_id: runId, status } = await stage.run(
      '  - { id: many, uses: note/many, with: { names: [a, b, c, d, e] }, tolerate: 100% }\n',
    )
    expect(status).toBe('unknown')
    isLost = false
    return { stage, runId }
  }

  it.each([
    ['succeeded', { outputs: { made: ['c', 'd'] } }, 'succeeded', ['a,b', 'c,d', 'e']],
    ['failed', {}, 'failed', ['a,b', 'c,d']],
    ['retry', {}, 'succeeded', ['a,b', 'c,d', 'c,d', 'e']],
  ] as const)('is settled as %s', async (decision, more, status, calls) => {
    const sent: string[] = []
    const { stage, runId } = await lostGroup(sent)
    expect(await decide(stage, runId, decision, { step: 'many/group-2', ...more })).toEqual([])
    expect(await stage.resume(runId)).toMatchObject({ status })
    expect(sent).toEqual(calls)
  })
})

it.each([
  ['succeeded', { outputs: { made: [{}] } }, ['a,b', 'b']],
  ['retry', {}, ['a,b', 'b', 'b']],
] as const)(
  'settles the second round of a batch as %s: what the first one made is made once',
  async (decision, more, calls) => {
    const sent: string[] = []
    const actions = createActions([
      defineAction<{ names: string[] }>({
        name: 'note/many',
        summary: 'Makes many notes',
        safety: 'create',
        batch: { argument: 'names', results: 'made', size: 2, isPositional: true, itemError: 'error' },
        input: { type: 'object', required: ['names'], properties: { names: { type: 'array' } } },
        output: { type: 'object', properties: { made: { type: 'array' } } },
        run({ names }) {
          sent.push(names.join())
          if (sent.length === 2) throw new RunbookError('ConnectionLost', 'the answer was lost')
          return { made: names.map((name) => (name === 'b' && sent.length === 1 ? { error: refused } : {})) }
        },
      }),
    ])
    const refused = { code: 'RequestLocked', message: 'not now' }
    const stage = createStage(actions.filter(({ name }) => name === 'note/many'))
    const { run_id, status } = await stage.run(
      '  - { id: many, uses: note/many, with: { names: [a, b] }, retry: { attempts: 2, delay: 1ms } }\n',
    )
    expect(status).toBe('unknown')
    await decide(stage, run_id, decision, { step: 'many', ...more })
    expect(await stage.resume(run_id)).toMatchObject({ status: 'succeeded' })
    expect(sent).toEqual(calls)
  },
)

it('settles an idempotent write that was refused after an unclear attempt', async () => {
  const stage = createStage()
  stage.answer = ({ attempt }) => {
    throw attempt === 1
      ? new RunbookError('ConnectionLost', 'the answer was lost')
      : new RunbookError('InvalidParameter', 'no such thing')
  }
  const text = `  - { id: put, uses: note/put, with: { name: put }, retry: { attempts: 3, delay: 1ms } }\n`
  const { run_id, status } = await stage.run(text)
  expect(status).toBe('unknown')
  await decide(stage, run_id, 'failed', { step: 'put' })
  expect(await stage.resume(run_id)).toMatchObject({ status: 'failed', error: { code: 'DecidedFailed' } })
})

it('is cancelled when the unknown outcome is in its clean-up', async () => {
  const stage = createStage()
  const runId = await unknown(
    stage,
    '  - { id: work, uses: note/read, with: { name: work } }\nfinally:\n  - { id: made, uses: note/make, with: { name: made } }\n',
  )
  const handle = await stage.reopen(runId, { cancel: { by: systemUserNamed('ada') } })
  expect(await handle.result).toMatchObject({ status: 'cancelled' })
})

it('settles an idempotent write that was in flight when its process died, and that a cancelled run does not repeat', async () => {
  const stage = createStage()
  const { run_id } = await stage.run('  - { id: put, uses: note/put, with: { name: put } }\n')
  stage.loseCalls()
  stage.calls.splice(0)
  const cancelled = await stage.reopen(run_id, { cancel: { by: systemUserNamed('ada') } })
  expect((await cancelled.result).status).toBe('unknown')
  await expect(stage.resume(run_id)).rejects.toMatchObject({ code: 'OutcomeUnknown' })
  await expect(decide(stage, run_id, 'retry', { step: 'put' })).rejects.toMatchObject({
    code: 'InvalidInput',
  })
  expect(await decide(stage, run_id, 'failed', { step: 'put' })).toEqual([])
  expect((await stage.resume(run_id)).status).toBe('cancelled')
  expect(stage.calls).toEqual([])
})

it('is cancelled without a decision: clean-up runs, unknown outcomes stay unknown', async () => {
  const stage = createStage()
  const runId = await unknown(stage)
  stage.calls.splice(0)
  const handle = await stage.reopen(runId, { cancel: { by: systemUserNamed('ada') } })
  expect(await handle.result).toMatchObject({
    status: 'cancelled',
    steps: [{ path: 'made', status: 'cancelled' }, { path: 'after', status: 'pending' }, { path: 'tidy' }],
  })
  expect(stage.calls).toEqual(['idempotent tidy'])
  expect(stage.rows('SELECT path, decision FROM decisions')).toEqual([
    { path: 'made', decision: 'cancelled' },
  ])
})

it('is cancelled without a decision if the unknown outcome is in the clean-up itself', async () => {
  const stage = createStage()
  const runId = await unknown(
    stage,
    `  - { id: work, uses: note/put, with: { name: work } }
finally:
  - { id: tidy, uses: note/make, with: { name: made } }
`,
  )
  stage.calls.splice(0)
  const handle = await stage.reopen(runId, { cancel: { by: systemUserNamed('ada') } })
  expect(await handle.result).toMatchObject({ status: 'cancelled', steps: [{}, { status: 'cancelled' }] })
  expect(stage.calls).toEqual([])
})

it('has its clean-up run if it was cancelled before any outcome was unknown', async () => {
  const stage = createStage()
  const handle = await stage.start(steps)
  stage.answer = ({ name }) => {
    if (name !== 'made') return { name }
    handle.cancel()
    throw new RunbookError('ConnectionLost', 'the answer was lost')
  }
  expect(await handle.result).toMatchObject({ status: 'unknown' })
  stage.calls.splice(0)
  const again = await stage.reopen(handle.runId, { cancel: { by: systemUserNamed('ada') } })
  expect(await again.result).toMatchObject({ status: 'cancelled' })
  expect(stage.calls).toEqual(['idempotent tidy'])
  expect(stage.rows('SELECT kind, requested_by FROM control_requests')).toMatchObject([
    { kind: 'cancel' },
    { kind: 'cancel', requested_by: JSON.stringify(systemUserNamed('ada')) },
  ])
})

describe('an idempotent write that was in flight when its process died, in a run that is cancelled then', () => {
  async function cancelledUnresolved(stage: Stage): Promise<string> {
    const text = `  - { id: put, uses: note/put, with: { name: put } }
finally:
  - { id: tidy, uses: note/put, with: { name: tidy } }
`
    const { run_id } = await stage.run(text)
    stage.execute("DELETE FROM attempts WHERE path = 'tidy'; DELETE FROM steps WHERE path = 'tidy'")
    stage.loseCalls()
    const handle = await stage.reopen(run_id, { cancel: { by: systemUserNamed('ada') } })
    expect(await handle.result).toMatchObject({ status: 'unknown', error: { path: 'put' } })
    stage.calls.splice(0)
    return run_id
  }

  it.each(['succeeded', 'failed'] as const)('is settled as %s, and cleaned up', async (decision) => {
    const stage = createStage()
    const runId = await cancelledUnresolved(stage)
    await expect(stage.resume(runId)).rejects.toMatchObject({ code: 'OutcomeUnknown' })
    expect(await decide(stage, runId, decision, { step: 'put' })).toEqual([])
    await stage.resume(runId)
    expect(stage.calls).toEqual(['idempotent tidy'])
  })

  it('stays unresolved if it is cancelled again', async () => {
    const stage = createStage()
    const runId = await cancelledUnresolved(stage)
    const handle = await stage.reopen(runId, { cancel: { by: systemUserNamed('ada') } })
    expect(await handle.result).toMatchObject({ status: 'cancelled' })
    expect(stage.calls).toEqual(['idempotent tidy'])
  })
})

it.each([
  { name: 'another step', step: 'mad', message: 'did you mean made?' },
  { name: 'a step without an unknown outcome', step: 'after', message: 'what does: made' },
])('changes nothing for $name', async ({ step, message }) => {
  const stage = createStage()
  const runId = await unknown(stage)
  await expect(decide(stage, runId, 'retry', { step })).rejects.toMatchObject({
    code: 'InvalidInput',
    message: expect.stringContaining(message),
  })
  expect(stage.rows('SELECT * FROM decisions')).toEqual([])
})

it('refuses to decide a run without unknown outcomes', async () => {
  const stage = createStage()
  const { run_id } = await stage.run('  - { id: made, uses: note/make, with: { name: made } }\n')
  await expect(decide(stage, run_id, 'retry')).rejects.toMatchObject({
    message: expect.stringContaining('succeeded'),
  })
})
