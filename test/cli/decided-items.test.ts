/** Two items of a loop have an unknown outcome, and a person decides them one after the other. */
import { expect, test } from 'vitest'
import { newFolder, opsbook } from './support/opsbook.ts'
import { startService } from './support/service.ts'

const runbook = `apiVersion: opsbook/v1
name: many
steps:
  - id: make
    for-each: { items: [alpha, beta], as: name, tolerate: all }
    uses: rum/application/create
    with: { application_name: "\${{ name }}", type: browser, team_id: 1 }
`

test('show prints commands for the calls that still need a decision, and for no other', async () => {
  const service = await startService()
  const folder = await newFolder({ 'many.yaml': runbook })
  const command = (...words: readonly string[]) =>
    opsbook([...words, '--data-dir', 'data'], { folder, env: service.env() })
  await service.fault({ operation: 'E2', times: 2, close_after: true })
  const run = await command('run', 'many.yaml')
  expect(run.code).toBe(4)
  // The report of the run names both, as show does.
  expect(run.stdout).toMatch(/decide run_\w+ 'make\[0\]' --as failed/)
  expect(run.stdout).toMatch(/decide run_\w+ 'make\[1\]' --as failed/)
  const both = (await command('show', 'latest')).stdout
  expect(both).toMatch(/decide run_\w+ 'make\[0\]' --as failed/)
  expect(both).toMatch(/decide run_\w+ 'make\[1\]' --as failed/)
  for (const shown of [run.stdout, both]) {
    expect(shown).toContain('whether make[0] (alpha), make[1] (beta) were executed.')
    for (const name of ['make[0] (alpha)', 'make[1] (beta)']) {
      for (const line of [
        `${name} was executed:`,
        `${name} was not executed:`,
        `Call ${name} again in any case:`,
      ])
        expect(shown).toContain(`\n${line}\n`)
    }
  }
  await command('decide', 'latest', 'make[0]', '--as', 'failed', '--no-resume')
  const rest = (await command('show', 'latest')).stdout
  expect(rest).not.toMatch(/decide run_\w+ 'make\[0\]'/)
  expect(rest).toMatch(/decide run_\w+ 'make\[1\]' --as failed/)
})

test('show names a decision as decide does, and what was created without outputs', async () => {
  const service = await startService()
  const failing = `${runbook}  - { id: stop, uses: core/fail, with: { code: STOP, message: stop } }\n`
  const folder = await newFolder({ 'many.yaml': failing })
  const command = (...words: readonly string[]) =>
    opsbook([...words, '--data-dir', 'data'], { folder, env: service.env() })
  await service.fault({ operation: 'E2', times: 2, close_after: true })
  await command('run', 'many.yaml')
  const decided = await command('decide', 'latest', 'make[0]', '--as', 'succeeded', '--by', 'ada')
  expect(decided.stderr).toContain('resolved as succeeded by ada')
  const { stdout } = await command('show', 'latest')
  expect(stdout).toMatch(/\nPeople\n {2}make\[0\] \(alpha\) resolved as succeeded .* by ada /)
  expect(stdout).toContain('whether make[1] (beta) was executed.')
  expect((await command('decide', 'latest', 'make[1]', '--as', 'succeeded')).code).toBe(1)
  expect((await command('show', 'latest')).stdout).toMatch(
    /\nCreated or sent .*\n {2}make\[0\] \(alpha\): no outputs\n {2}make\[1\] \(beta\): no outputs\n/,
  )
})

test('the documents of the run and of a decision name the calls with an unknown outcome', async () => {
  const service = await startService()
  const folder = await newFolder({ 'many.yaml': runbook })
  const command = async (...words: readonly string[]) => {
    const { stdout } = await opsbook([...words, '-o', 'json', '--data-dir', 'data'], {
      folder,
      env: service.env(),
    })
    return JSON.parse(stdout)
  }
  await service.fault({ operation: 'E2', times: 2, close_after: true })
  const run = await command('run', 'many.yaml')
  const [alpha, beta] = ['alpha', 'beta'].map((name, at) => ({
    path: `make[${at}]`,
    action: 'rum/application/create',
    sent: { input: { application_name: name } },
  }))
  expect(run).toMatchObject({ status: 'unknown', unknown_outcomes: [alpha, beta] })
  const { run_id } = run
  const first = await command('decide', run_id, 'make[0]', '--as', 'failed', '--by', 'ada')
  expect(first).toMatchObject({
    run_id,
    path: 'make[0]',
    decision: 'failed',
    by: { name: 'ada' },
    unknown_outcomes: [beta],
  })
  const last = await command('decide', run_id, 'make[1]', '--as', 'failed', '--no-resume')
  expect(last).toMatchObject({ run_id, path: 'make[1]', decision: 'failed', unknown_outcomes: [] })
  const corrected = [
    'decide',
    run_id,
    'make[1]',
    '--as',
    'failed',
    '--replace',
    '--no-resume',
    '-o',
    'ndjson',
  ]
  const { stdout } = await opsbook([...corrected, '--data-dir', 'data'], { folder, env: service.env() })
  expect(
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).type),
  ).toEqual(['decided'])
})

test('an item is decided without outputs where later steps read only the counts of the loop', async () => {
  const service = await startService()
  const counts = `${runbook}  - { id: say, uses: core/log, with: { message: "made \${{ steps.make.outputs.succeeded }}" } }\n`
  const folder = await newFolder({ 'many.yaml': counts })
  const command = (...words: readonly string[]) =>
    opsbook([...words, '--data-dir', 'data'], { folder, env: service.env() })
  await service.fault({ operation: 'E2', times: 1, close_after: true })
  expect((await command('run', 'many.yaml')).code).toBe(4)
  const decided = await command('decide', 'latest', 'make', '--as', 'succeeded')
  expect(decided.code, decided.stderr).toBe(0)
  expect(decided.stderr).toContain('say: made 2')
})

test('logs has a line for each item that ended, and for each decision at its time', async () => {
  const service = await startService()
  const folder = await newFolder({ 'many.yaml': runbook })
  const command = (...words: readonly string[]) =>
    opsbook([...words, '--data-dir', 'data'], { folder, env: service.env() })
  await service.fault({ operation: 'E2', times: 1, close_after: true })
  await command('run', 'many.yaml')
  await command('decide', 'latest', 'make[0]', '--as', 'failed', '--by', 'ada', '--comment', 'not there')
  const { stdout } = await command('logs', 'latest')
  const texts = stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split(' ').slice(2).join(' '))
  const lines = [
    'make[0] (alpha): unknown',
    'make[1] (beta): succeeded',
    expect.stringMatching(/^run unknown/),
    expect.stringMatching(/^make\[0\] \(alpha\) resolved as failed by ada \(.+\): not there$/),
    expect.stringMatching(/^run \S+ of many resumed/),
    'make[0] (alpha): failed',
    'make[1] (beta): succeeded',
    'run succeeded',
  ]
  const isExpected = (text: string): boolean => /^make\[\d\] \(\w+\)(: \w+$| resolved)|^run /.test(text)
  expect(texts.filter(isExpected).slice(1)).toEqual(lines)
})
