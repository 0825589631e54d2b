import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { compareResume, RunbookError } from 'opsbook'
import { describe, expect, it } from 'vitest'
import { systemUserNamed } from '../../support/identity.ts'
import { createStage, type Stage } from './support/stage.ts'

/** These fail from now on. */
function fail(stage: Stage, ...names: readonly string[]): void {
  stage.calls.splice(0)
  stage.answer = ({ name }) => {
    if (names.includes(name)) throw new RunbookError('ResourceNotFound', `${name} is not there`)
    return { name }
  }
}

const last = '  - { id: last, uses: note/read, with: { name: last } }\n'

describe('what people said', () => {
  const ask = (message: string): string =>
    `  - { id: ask, uses: core/approve, with: { message: "${message}" } }\n`

  it.each([
    ['counts for the same question', ask('Continue?'), {}, []],
    ['does not count for another one', ask('Really?'), {}, ['Really?']],
    ['is asked for again on request', ask('Continue?'), { repeat: ['ask'] }, ['Continue?']],
  ])('%s', async (_, after, words, expected) => {
    const stage = createStage()
    fail(stage, 'last')
    const asked: string[] = []
    const onQuestion = ({ message }: { readonly message: string }) => {
      asked.push(message)
      return Promise.resolve({ approved: true, by: systemUserNamed('ada') })
    }
    const { run_id } = await stage.run(ask('Continue?') + last, { onQuestion })
    asked.splice(0)
    fail(stage)
    const changes = { plan: stage.plan(after + last), ...words }
    expect(await stage.resume(run_id, { onQuestion, changes })).toMatchObject({ status: 'succeeded' })
    expect(asked).toEqual(expected)
  })

  it('about one item is never said of another that took its place', async () => {
    const stage = createStage()
    const steps = `
  - id: hosts
    for-each: { items: "\${{ inputs.hosts }}" }
    steps:
      - { id: ask, uses: core/approve, with: { message: Continue? } }
      - { id: make, uses: note/make, with: { name: "\${{ item }}" } }
${last}`
    fail(stage, 'last')
    let asked = 0
    const onQuestion = () => {
      asked++
      return Promise.resolve({ approved: true, by: systemUserNamed('ada') })
    }
    const handle = await stage.start(steps, { inputs: { hosts: ['a'] }, onQuestion })
    const { run_id } = await handle.result
    asked = 0
    await stage.resume(run_id, { changes: { inputs: { other: 1 } }, onQuestion })
    expect(asked).toBe(0)
    await stage.resume(run_id, { changes: { inputs: { hosts: ['b', 'a'] }, repeat: ['make'] }, onQuestion })
    expect(asked).toBe(2)
    expect(stage.calls).toContain('create b')
  })
})

describe('files', () => {
  const write = (id: string, file: string, content: string): string =>
    `  - { id: ${id}, uses: core/write, with: { content: ${content} }, save-as: ${file} }\n`
  const read = (stage: Stage, id: string, file: string): string =>
    readFileSync(join(stage.dataDir, 'runs', id, file), 'utf8')

  it('stay with what is taken over, and are free for others where it is not', async () => {
    const stage = createStage()
    fail(stage, 'last')
    const { run_id } = await stage.run(write('one', 'a.txt', 'one') + write('two', 'b.txt', 'two') + last)
    fail(stage)
    const steps = write('other', 'b.txt', 'other') + write('one', 'a.txt', 'one') + last
    const report = await stage.resume(run_id, { changes: { plan: stage.plan(steps) } })
    expect(report).toMatchObject({ status: 'succeeded' })
    expect([read(stage, run_id, 'a.txt'), read(stage, run_id, 'b.txt')]).toEqual(['one', 'other'])
    expect(stage.rows('SELECT file, path FROM artifacts ORDER BY file')).toEqual([
      { file: 'a.txt', path: 'one' },
      { file: 'b.txt', path: 'other' },
    ])
  })

  it('of items that changed places are theirs still, and no other step gets them', async () => {
    const stage = createStage()
    fail(stage, 'last')
    const steps = `  - { id: hosts, uses: core/write, with: { content: "\${{ item }}" }, save-as: "\${{ item }}.txt", for-each: { items: "\${{ inputs.hosts }}" } }\n`
    const handle = await stage.start(steps + last, { inputs: { hosts: ['a', 'b'] } })
    const { run_id } = await handle.result
    await stage.resume(run_id, { changes: { inputs: { hosts: ['b', 'a'] } } })
    expect(stage.rows('SELECT file, path FROM artifacts ORDER BY file')).toEqual([
      { file: 'a.txt', path: 'hosts[1]' },
      { file: 'b.txt', path: 'hosts[0]' },
    ])
    const plan = stage.plan(`${steps}${write('thief', 'a.txt', 'thief')}${last}`)
    await expect(stage.resume(run_id, { changes: { plan } })).rejects.toMatchObject({
      code: 'InvalidInput',
      message: expect.stringMatching(/^thief\.save-as "a\.txt" is the file of hosts\[1\].*nothing was sent$/),
    })
    expect(read(stage, run_id, 'a.txt')).toBe('a')
  })
})

it('continues with the changes after its process has died in the middle of it', async () => {
  const stage = createStage()
  const make = (id: string): string => `  - { id: ${id}, uses: note/make, with: { name: ${id} } }\n`
  const look = '  - { id: look, uses: note/read, with: { name: look } }\n'
  fail(stage, 'last')
  const { run_id } = await stage.run(make('one') + make('two') + look + make('three') + last)
  fail(stage)
  stage.answer = ({ name, signal }) => {
    if (name !== 'look') return { name }
    handle?.interrupt()
    return new Promise((resolve) => signal.addEventListener('abort', () => resolve({})))
  }
  const handle = await stage.reopen(run_id, { changes: { repeat: ['one', 'look'], skip: ['last'] } })
  expect(await handle.result).toMatchObject({ status: 'interrupted' })
  expect(stage.calls).toEqual(['create one', 'read look'])
  stage.calls.splice(0)
  // As it is after a crash.
  stage.execute("UPDATE runs SET status = 'running'")
  stage.answer = ({ name }) => ({ name })
  expect(await stage.resume(run_id)).toMatchObject({
    status: 'succeeded',
    steps: [{}, {}, {}, {}, { path: 'last', status: 'skipped', condition: '--skip' }],
  })
  expect(stage.calls).toEqual(['read look'])
  expect(
    stage.rows("SELECT number, resumed_by <> '' AS by_somebody, changes IS NULL AS is_plain FROM resumes"),
  ).toEqual([
    { number: 1, by_somebody: 1, is_plain: 0 },
    { number: 2, by_somebody: 1, is_plain: 1 },
  ])
})

it('is refused while the outcome of a create is unknown, and changes nothing', async () => {
  const stage = createStage()
  const { run_id } = await stage.run('  - { id: one, uses: note/make, with: { name: one } }\n')
  stage.loseCalls()
  const changes = { repeat: ['one'] }
  const refusal = {
    code: 'OutcomeUnknown',
    message: expect.stringContaining('the outcome of one is unknown'),
  }
  await expect(stage.resume(run_id, { changes })).rejects.toMatchObject(refusal)
  expect(() => compareResume({ ...stage.common, runId: run_id, changes })).toThrow('needs a decision first')
  expect(stage.rows('SELECT resumes, (SELECT count(*) FROM resumes) AS rows FROM runs')).toEqual([
    { resumes: 0, rows: 0 },
  ])
})

it('makes an item again that a person has decided to make again, without a second word', async () => {
  const stage = createStage()
  const steps = `  - { id: many, for-each: { items: [a, b, c], tolerate: 3 }, uses: note/make, with: { name: "\${{ item }}" } }\n`
  stage.answer = ({ name }) => {
    if (name === 'b') throw new RunbookError('ConnectionLost', 'the answer was lost')
    return { name }
  }
  const { run_id: runId, status } = await stage.run(steps)
  expect(status).toBe('unknown')
  await stage.decide(runId, 'many[1]', 'retry')
  fail(stage)
  const changes = { plan: stage.plan(steps + last) }
  expect(await stage.resume(runId, { changes })).toMatchObject({ status: 'succeeded' })
  expect(stage.calls).toEqual(['create b', 'read last'])
})

it('makes a write again that was in flight, and knows that it may have been done', async () => {
  const stage = createStage()
  const steps = '  - { id: put, uses: note/put, with: { name: put } }\n'
  const { run_id } = await stage.run(steps)
  stage.loseCalls()
  fail(stage, 'put')
  const report = await stage.resume(run_id, { changes: { inputs: { other: 1 } } })
  expect(report).toMatchObject({ status: 'unknown', error: { code: 'OutcomeUnknown', path: 'put' } })
  expect(stage.calls).toEqual(['idempotent put'])
})

it('keeps the plan and the inputs until then', async () => {
  const stage = createStage()
  fail(stage, 'last')
  const handle = await stage.start(last, { inputs: { a: 1 } })
  const { run_id } = await handle.result
  fail(stage)
  const plan = stage.plan(`${last}  - { id: more, uses: note/read, with: { name: more } }\n`)
  await stage.resume(run_id, { changes: { plan, inputs: { b: 2 } } })
  expect(stage.reader().readRun(run_id)).toMatchObject({ inputs: { a: 1, b: 2 }, plan: { hash: plan.hash } })
  expect(
    stage.rows('SELECT inputs_before, plan_id_before <> (SELECT plan_id FROM runs) AS is_other FROM resumes'),
  ).toEqual([{ inputs_before: '{"a":1}', is_other: 1 }])
})
