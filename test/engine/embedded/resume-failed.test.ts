import { RunbookError, type TimedRunEvent } from 'opsbook'
import { describe, expect, it } from 'vitest'
import { systemUserNamed } from '../../support/identity.ts'
import { createStage, type Stage } from './support/stage.ts'

const step = (id: string, action: string, more = ''): string =>
  `  - { id: ${id}, uses: note/${action}, with: { name: ${id} }${more} }\n`

/** These fail until the test changes that. */
function failing(stage: Stage, ...names: readonly string[]): { heal(): void } {
  let broken = names
  stage.answer = ({ name }) => {
    if (broken.includes(name)) throw new RunbookError('ResourceNotFound', `${name} is not there`)
    return { name }
  }
  return {
    heal() {
      broken = []
      stage.calls.splice(0)
    },
  }
}

async function failThenResume(stage: Stage, steps: string, ...names: readonly string[]) {
  const trouble = failing(stage, ...names)
  const failed = await stage.run(steps)
  expect(failed.status).toBe('failed')
  trouble.heal()
  return stage.resume(failed.run_id)
}

it('tries the failed step again, and nothing that has succeeded', async () => {
  const stage = createStage()
  const steps = `${step('first', 'make')}${step('second', 'read', ', retry: { attempts: 2, delay: 1ms, errors: [ResourceNotFound] }')}${step('third', 'make')}`
  const report = await failThenResume(stage, steps, 'second')
  expect(report).toMatchObject({ status: 'succeeded', steps: [{}, { attempts: 1 }, {}] })
  expect(report.error).toBeUndefined()
  expect(stage.calls).toEqual(['read second', 'create third'])
  const attempts = [...stage.reader().readAttempts(report.run_id)]
  expect(
    attempts.map(({ path, attempt, status, is_superseded }) => [path, attempt, status, is_superseded]),
  ).toEqual([
    ['first', 1, 'succeeded', undefined],
    ['second', 1, 'failed', true],
    ['second', 2, 'failed', true],
    ['second', 1, 'succeeded', undefined],
    ['third', 1, 'succeeded', undefined],
  ])
})

it('can fail again and again', async () => {
  const stage = createStage()
  const trouble = failing(stage, 'second')
  const { run_id } = await stage.run(`${step('first', 'make')}${step('second', 'make')}`)
  for (let round = 1; round <= 3; round++) {
    expect(await stage.resume(run_id)).toMatchObject({
      status: 'failed',
      error: { code: 'ResourceNotFound' },
    })
  }
  trouble.heal()
  expect(await stage.resume(run_id)).toMatchObject({ status: 'succeeded' })
  expect(stage.calls).toEqual(['create second'])
})

describe('what it resumes', () => {
  it('is the failed items of a loop only', async () => {
    const stage = createStage()
    const steps = `
  - id: hosts
    for-each: { items: [a, b, c, d], tolerate: 1, max-parallel: 4 }
    steps:
      - { id: open, uses: note/make, with: { name: "open \${{ item }}" } }
      - { id: look, uses: note/read, with: { name: "look \${{ item }}" } }
`
    const report = await failThenResume(stage, steps, 'look b', 'look d')
    expect(report.status).toBe('succeeded')
    expect(stage.calls.toSorted()).toEqual(['read look b', 'read look d'])
  })

  it('is not what was tolerated', async () => {
    const stage = createStage()
    const loop = `
  - id: hosts
    for-each: { items: [a, b], tolerate: 1 }
    uses: note/read
    with: { name: "\${{ item }}" }
`
    const report = await failThenResume(stage, `${loop}${step('last', 'read')}`, 'b', 'last')
    expect(report.status).toBe('succeeded')
    expect(stage.calls).toEqual(['read last'])
  })

  it('is not what the run continued after', async () => {
    const stage = createStage()
    const steps = `${step('soft', 'read', ', continue-on-error: true')}${step('last', 'read')}`
    const report = await failThenResume(stage, steps, 'soft', 'last')
    expect(report).toMatchObject({ status: 'succeeded', warnings: [{ path: 'soft' }] })
    expect(stage.calls).toEqual(['read last'])
  })

  it('is not what was caught, but what failed after it', async () => {
    const stage = createStage()
    const caught = `
  - id: group
    steps:
      - { id: inner, uses: note/read, with: { name: inner } }
    catch:
      - errors: [all]
        steps:
          - { id: mend, uses: note/make, with: { name: mend } }
`
    const report = await failThenResume(stage, `${caught}${step('last', 'read')}`, 'inner', 'last')
    expect(report).toMatchObject({ status: 'succeeded', steps: [{ status: 'succeeded' }, {}, {}, {}] })
    expect(stage.calls).toEqual(['read last'])
  })

  it('is the failed step and not the catch that failed as well', async () => {
    const stage = createStage()
    const steps = `
  - id: main
    uses: note/read
    with: { name: main }
    catch:
      - errors: [all]
        steps:
          - { id: tell, uses: note/make, with: { name: "tell \${{ error.message }}" } }
          - { id: mend, uses: note/read, with: { name: mend } }
`
    const report = await failThenResume(stage, steps, 'main', 'mend')
    expect(report.status).toBe('succeeded')
    expect(stage.calls).toEqual(['read main'])
  })

  it('is every branch that was cancelled with the failed one', async () => {
    const stage = createStage()
    const steps = `
  - id: both
    parallel:
      - { id: left, uses: note/read, with: { name: left } }
      - id: right
        steps:
          - { id: early, uses: note/make, with: { name: early } }
          - { id: pause, uses: core/wait, with: { for: 1h } }
    on-branch-error: cancel-others
`
    let waits = (): void => {}
    const isWaiting = new Promise<void>((resolve) => {
      waits = resolve
    })
    let isBroken = true
    stage.answer = async ({ name }) => {
      if (name !== 'left' || !isBroken) return {}
      await isWaiting
      throw new RunbookError('ResourceNotFound', 'left is not there')
    }
    const onEvent = ({ type }: TimedRunEvent): void => {
      if (type === 'waiting') waits()
    }
    const failed = await stage.run(steps, { onEvent })
    expect(failed.status).toBe('failed')
    isBroken = false
    stage.calls.splice(0)
    const handle = await stage.reopen(failed.run_id)
    const seen = new Set<string>()
    for await (const event of handle.events) {
      if (event.type === 'waiting' || event.type === 'step_finished') seen.add(event.path)
      if (seen.has('both/left') && seen.has('both/right/pause')) handle.interrupt()
    }
    expect((await handle.result).steps).toMatchObject([
      { path: 'both', status: 'interrupted' },
      { path: 'both/left', status: 'succeeded' },
      { path: 'both/right', status: 'interrupted' },
      { path: 'both/right/early', status: 'succeeded' },
      { path: 'both/right/pause', status: 'interrupted' },
    ])
    expect(stage.calls).toEqual(['read left'])
  })

  it('is a read whose answer was not what was expected', async () => {
    const stage = createStage()
    let size = 1
    stage.answer = () => ({ size: size++ })
    const steps = `  - { id: grown, uses: note/read, with: { name: grown }, expect: ["\${{ outputs.size > 1 }}"] }\n`
    const { run_id, status } = await stage.run(steps)
    expect(status).toBe('failed')
    expect(await stage.resume(run_id)).toMatchObject({ status: 'succeeded' })
  })

  it('is never a create that has been executed', async () => {
    const stage = createStage()
    const steps = `  - { id: made, uses: note/make, with: { name: made }, expect: ["\${{ outputs.name == 'other' }}"] }\n`
    const report = await stage.run(steps)
    expect(await stage.resume(report.run_id)).toMatchObject({
      status: 'failed',
      error: { code: 'ExpectationFailed' },
    })
    expect(stage.calls).toEqual(['create made'])
  })

  it('is the whole of an abandoned poll', async () => {
    const stage = createStage()
    let isReady = false
    stage.answer = () => ({ ready: isReady })
    const steps = `  - { id: poll, uses: note/read, with: { name: poll }, repeat: { until: "\${{ outputs.ready }}", interval: 1ms, max-wait: 2ms } }\n`
    const { run_id, error } = await stage.run(steps)
    expect(error?.code).toBe('RepeatTimeout')
    isReady = true
    expect(await stage.resume(run_id)).toMatchObject({ status: 'succeeded' })
  })

  it('is every turn of a block that had too many, if it creates nothing', async () => {
    const stage = createStage()
    let isReady = false
    stage.answer = () => ({ ready: isReady })
    const turns = (more: string): string =>
      `  - id: rounds\n    repeat: { until: "\${{ steps.look.outputs.ready }}", at-most: 2 }\n    steps: [{ id: look, uses: note/read, with: { name: look } }${more}]\n`
    const { run_id, error } = await stage.run(turns(''))
    expect(error?.code).toBe('TooManyTurns')
    isReady = true
    expect(await stage.resume(run_id)).toMatchObject({ status: 'succeeded' })
    expect(stage.calls).toEqual(['read look', 'read look', 'read look'])
    isReady = false
    const creating = await stage.run(turns(', { id: made, uses: note/make, with: { name: made } }'))
    isReady = true
    expect(await stage.resume(creating.run_id)).toMatchObject({ error: { code: 'TooManyTurns' } })
    expect(stage.calls.filter((call) => call.startsWith('create'))).toHaveLength(2)
  })

  it('is the turn that failed, with the values it had', async () => {
    const stage = createStage()
    stage.answer = ({ name }) => {
      if (name === 'bb' && stage.calls.length < 4) throw new Error('not yet')
      return { name }
    }
    const { run_id } = await stage.run(
      `  - id: rounds\n    repeat: { with: { n: b }, next: { n: "\${{ turn.n + 'b' }}" }, until: "\${{ turn.n == 'bbb' }}", at-most: 5 }\n    steps: [{ id: look, uses: note/read, with: { name: "\${{ turn.n }}" } }]\n`,
    )
    expect(await stage.resume(run_id)).toMatchObject({ status: 'failed' })
    expect(await stage.resume(run_id)).toMatchObject({ status: 'succeeded' })
    expect(stage.calls).toEqual(['read b', 'read bb', 'read bb', 'read bb', 'read bbb'])
  })

  it('is the clean-up, at the next ending', async () => {
    const stage = createStage()
    const text = `apiVersion: opsbook/v1
name: test
steps:
  - id: group
    steps:
      - { id: first, uses: note/make, with: { name: first } }
      - { id: second, uses: note/read, with: { name: second } }
    finally:
      - { id: tidy, uses: note/put, with: { name: tidy } }
finally:
  - { id: report, uses: note/make, with: { name: "report \${{ run.outcome }}" } }
`
    const report = await failThenResume(stage, text, 'second')
    expect(report.status).toBe('succeeded')
    expect(stage.calls).toEqual(['read second', 'idempotent tidy', 'create report succeeded'])
  })

  it('is a clean-up that failed', async () => {
    const stage = createStage()
    const text = `apiVersion: opsbook/v1
name: test
steps:
${step('first', 'make')}finally:
${step('tidy', 'put')}`
    const report = await failThenResume(stage, text, 'tidy')
    expect(report.status).toBe('succeeded')
    expect(stage.calls).toEqual(['idempotent tidy'])
  })

  it('is the question that was answered with no', async () => {
    const stage = createStage()
    const steps = `  - { id: ask, uses: core/approve, with: { message: Continue? } }\n${step('after', 'read')}`
    let approved = false
    const onQuestion = () => Promise.resolve({ approved, by: systemUserNamed('ada') })
    const report = await stage.run(steps, { onQuestion })
    expect(report).toMatchObject({ status: 'failed', error: { code: 'ApprovalRejected' } })
    approved = true
    expect(await stage.resume(report.run_id, { onQuestion })).toMatchObject({ status: 'succeeded' })
    expect(
      stage.rows(
        `SELECT answers ->> '$[0].approved' AS approved, superseded FROM questions ORDER BY superseded`,
      ),
    ).toEqual([
      { approved: 1, superseded: 0 },
      { approved: 0, superseded: 1 },
    ])
  })

  it('is what a runbook that it runs has failed at', async () => {
    const stage = createStage()
    stage.children['child.yaml'] = `apiVersion: opsbook/v1
name: child
steps:
${step('one', 'make')}${step('two', 'put')}finally:
${step('tidy', 'put')}`
    const steps = `${step('outer', 'make')}  - { id: call, uses: core/run, with: { runbook: child.yaml } }\n`
    const report = await failThenResume(stage, steps, 'two')
    expect(report.status).toBe('succeeded')
    expect(stage.calls).toEqual(['idempotent two', 'idempotent tidy'])
  })
})

it('begins an interrupted run that had failed before only where it stopped', async () => {
  const stage = createStage()
  const trouble = failing(stage, 'second')
  const steps = `${step('first', 'make')}${step('second', 'make')}${step('third', 'read')}`
  const { run_id } = await stage.run(steps)
  trouble.heal()
  expect(await stage.resume(run_id)).toMatchObject({ status: 'succeeded' })
  stage.rows("UPDATE runs SET status = 'running' RETURNING id")
  stage.calls.splice(0)
  expect(await stage.resume(run_id)).toMatchObject({ status: 'succeeded' })
  expect(stage.calls).toEqual([])
})
