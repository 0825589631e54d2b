import { expect, test } from 'vitest'
import { openDesk } from './support/desk.ts'
import type { CommandResult } from './support/opsbook.ts'

const loop = `apiVersion: opsbook/v1
name: loop
inputs: { type: object, properties: { word: { type: string, writeOnly: true, default: sesame42 } } }
steps:
  - id: all
    parallel:
      - id: hosts
        for-each: { items: [web-01, web-02, web-03], as: host, max-parallel: 3 }
        steps: [{ id: ok, uses: core/approve, with: { message: "Restart \${{ host }} with \${{ inputs.word }}?" } }]
      - { id: last, uses: core/approve, with: { message: Go on?, timeout: 30m } }
`
const create = `apiVersion: opsbook/v1
name: create
steps:
  - { id: make, uses: rum/application/create, with: { application_name: shop, type: browser, team_id: 1 } }
`

const desk = () => openDesk({ 'loop.yaml': loop, 'create.yaml': create })
/** The loop, all of whose questions wait. */
const asked = [['run', 'loop.yaml'], 4] as const

/** The commands that an entry ends with, as they can be pasted. */
function commandsIn({ stdout }: CommandResult): readonly (readonly string[])[] {
  return [...stdout.matchAll(/^ {2}opsbook (.*) --data-dir data$/gm)].map(([, words = '']) =>
    words.split(' '),
  )
}

test('an inbox without anything says so in one line', async () => {
  const { command, document, losing } = await desk()
  expect(await command('inbox')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^nothing waits for a person in \S+\n$/),
    stderr: '',
  })
  expect(await document('inbox')).toEqual({ waiting: [] })
  expect((await losing('run', 'create.yaml')).code).toBe(4)
  expect((await command('decide', 'latest', 'make', '--as', 'failed', '--no-resume')).code).toBe(0)
  expect((await command('inbox')).stdout).toMatch(/^nothing waits/)
})

test('questions and unknown outcomes are listed with the commands that answer them, deadlines first', async () => {
  const { command, document, asking, losing } = await desk()
  expect((await losing('run', 'create.yaml')).code).toBe(4)
  const { ended } = await asking(...asked)
  const inbox = await command('inbox')
  expect(inbox.code).toBe(0)
  expect(inbox.stdout.split('\n').filter((line) => /asks|executed|items:/.test(line))).toEqual([
    '  all/last asks: Go on?',
    '  make: was rum/application/create executed? (attempt 1)',
    '  all/hosts/ok asks for 3 items: Restart web-01 with (masked)?',
    '  items: web-01, web-02, web-03',
  ])
  const listed = await document('inbox')
  expect(listed.waiting).toMatchObject([
    { kind: 'question', runbook: 'loop', step: 'all/last', count: 1, until: expect.any(String) },
    { kind: 'unknown_outcome', runbook: 'create', status: 'unknown', path: 'make', attempt: 1 },
    {
      kind: 'question',
      step: 'all/hosts/ok',
      count: 3,
      questions: ['web-01', 'web-02', 'web-03'].map((item) => ({
        item,
        message: `Restart ${item} with (masked)?`,
      })),
    },
  ])
  expect(JSON.stringify(listed)).not.toContain('sesame42')
  const [last, , show, , failed, , all] = commandsIn(inbox)
  expect((await command(...(show ?? []))).code).toBe(0)
  expect((await command(...(failed ?? []), '--no-resume')).code).toBe(0)
  expect((await command(...(last ?? []))).stdout).toContain('all/last')
  const answered = await command(...(all ?? []))
  expect(answered.stdout).toMatch(/^3 questions of all\/hosts\/ok of run_\S+ were approved by /)
  expect(await ended).toMatchObject({ code: 0 })
  expect((await command('inbox')).stdout).toMatch(/^nothing waits/)
})

test('all of the questions that were shown are answered, or none of them', async () => {
  const { command, asking } = await desk()
  const { ended } = await asking(...asked)
  const [, , all = []] = commandsIn(await command('inbox'))
  expect((await command('reject', 'latest', 'all/hosts[1]/ok')).code).toBe(0)
  const refused = await command(...all)
  expect(refused.code).toBe(2)
  expect(refused.stderr).toContain(
    'the 3 questions of all/hosts/ok that were shown have changed or were answered since',
  )
  expect(refused.stderr).toContain('none was answered')
  for (const words of [
    ['--shown', 'everything'],
    ['--shown', ''],
  ])
    expect((await command('approve', 'latest', 'all/hosts/ok', ...words)).stderr).toContain(
      'names no questions',
    )
  await command('cancel', 'latest')
  await ended
})

test('one question is answered as it was shown: any other is refused, and shown', async () => {
  const { command, document, asking } = await desk()
  const { ended } = await asking(...asked)
  const { waiting } = await document('inbox')
  const [last, all] = waiting
  expect(last.commands[0]).toContain(`approve ${last.run_id} all/last --shown ${last.shown} `)
  const other = await command('approve', 'latest', 'all/last', '--shown', '1-0000000000')
  expect(other).toMatchObject({ code: 2, stdout: '' })
  expect(other.stderr).toContain('all/last asks: Go on?')
  expect(other.stderr).toContain(`all/last --shown ${last.shown}`)
  expect(other.stderr).toContain(
    'the question of all/last that was shown has changed since, so it was not answered',
  )
  const one = all.questions[1]
  const [step, shown] = ['all/hosts[1]/ok', one.shown]
  expect((await command('approve', 'latest', step, '--shown', shown)).stdout).toContain('was approved by')
  expect((await command('approve', 'latest', step, '--shown', shown)).stderr).toMatch(
    /was approved by \S+ at/,
  )
  expect((await document('inbox')).waiting).toMatchObject([{ shown: last.shown, count: 1 }, { count: 2 }])
  await command('cancel', 'latest')
  await ended
})

test('a limit leaves out what has the latest deadline, and says how much', async () => {
  const { command, document, asking } = await desk()
  const { ended } = await asking(...asked)
  const { stdout } = await command('inbox', '--limit', '1')
  expect(stdout).toContain('all/last asks')
  expect(stdout).not.toContain('all/hosts')
  expect(stdout).toContain('and 1 more: raise --limit')
  expect(await document('inbox', '-n', '1')).toMatchObject({
    has_more: true,
  })
  await command('cancel', 'latest')
  await ended
  expect((await command('inbox')).stdout).toMatch(/^nothing waits/)
})

test('an unknown outcome that later steps read is resolved with what show asks for', async () => {
  const say =
    '  - { id: say, uses: core/log, with: { message: "${{ steps.make.outputs.application_id }}" } }\n'
  const { command, document, losing } = await openDesk({ 'create.yaml': create + say })
  expect((await losing('run', 'create.yaml')).code).toBe(4)
  const succeeded =
    /opsbook decide run_\S+ make --as succeeded --outputs '\{"application_id": …\}' --data-dir data/
  const [shown] = succeeded.exec((await command('show', 'latest')).stdout) ?? []
  expect((await command('inbox')).stdout).toContain(`  ${shown}\n`)
  const { waiting } = await document('inbox')
  expect(waiting[0].commands).toContain(shown)
})
