import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openDesk } from './support/desk.ts'

const runbook = `apiVersion: opsbook/v1
name: sealed
inputs:
  type: object
  required: [teams]
  properties: { teams: { type: array, items: { type: integer } } }
steps:
  - { id: ask, uses: core/approve, with: { message: Create them? } }
  - { id: stop, uses: core/assert, with: { that: ["\${{ inputs.teams[0] != 1 }}"] } }
  - id: each
    for-each: { items: "\${{ inputs.teams }}", as: team }
    uses: rum/application/create
    with: { application_name: shop, type: browser, team_id: "\${{ team }}" }
`

/** The list is known only after the yes: the loop asks before its first item. */
const later = `apiVersion: opsbook/v1
name: later
steps:
  - { id: ask, uses: core/approve, with: { message: Create them? } }
  - { id: now, uses: core/time }
  - id: each
    for-each: { items: "\${{ [size(steps.now.outputs.at)] }}", as: team }
    uses: rum/application/create
    with: { application_name: shop, type: browser, team_id: "\${{ team }}" }
`

const desk = () => openDesk({ 'sealed.yaml': runbook, 'later.yaml': later })
const teams = Array.from({ length: 50 }, (_, index) => index + 1)
const input = (list: readonly number[]): readonly string[] => ['--input', `teams=${JSON.stringify(list)}`]

it('shows the calls that a yes permits before and after it', async () => {
  const { command, document, asking, service } = await desk()
  const { ended } = await asking(['run', 'sealed.yaml', ...input([7, 8])])
  const shown = await command('show', 'latest')
  expect(shown.stdout).toContain('A yes permits 2 calls')
  expect(shown.stdout).toContain('each[1]: {"application_name":"shop","type":"browser","team_id":8}')
  expect((await command('inbox')).stdout).toContain('A yes permits 2 calls')
  const approved = await document('approve', 'latest', 'ask')
  expect(approved.covers.calls).toMatchObject([{ step: 'each', safety: 'create', count: 2 }])
  await ended
  expect(await service.calls()).not.toEqual([])
})

it('shows texts with their values in every place where a person decides, and no template', async () => {
  const text = '"of ${{ inputs.name }}, as ${{ steps.ask.outputs.by }} said"'
  const { command, asking } = await openDesk({
    'texts.yaml': `apiVersion: opsbook/v1
name: texts
inputs: { type: object, required: [name], properties: { name: { type: string } } }
steps:
  - { id: ask, uses: core/approve, with: { message: "Create \${{ inputs.name }}?" } }
  - { id: make, uses: rum/application/create, with: { application_name: ${text}, type: browser, team_id: 1 } }
`,
  })
  const { ended } = await asking(['run', 'texts.yaml', '--input', 'name=shop'])
  const seen = [
    await command('inbox'),
    await command('show', 'latest'),
    await command('approve', 'latest', 'ask'),
  ]
  for (const { stdout } of seen) {
    expect(stdout).toContain('"application_name":"of shop, as ‹not known yet› said"')
    expect(stdout).not.toMatch(/\$\{\{|seal/)
  }
  const { stdout, stderr } = await ended
  expect(stdout + stderr).toContain('succeeded')
})

it('sends nothing of a list of 50 that has changed since the yes, names what differs, and asks again', async () => {
  const { command, asking, service } = await desk()
  expect((await command('run', 'sealed.yaml', '--yes', ...input(teams))).code).toBe(1)
  const changed = teams.map((team, index) => (index === 0 ? 100 : index === 3 ? 99 : team))
  const { ended } = await asking(['resume', 'latest', ...input(changed)])
  const { stdout } = await command('show', 'latest')
  expect(stdout).toContain('(ApprovalStale)')
  expect(stdout).toContain('each[3]: team_id was 4, is 99')
  expect(stdout).toContain('A yes permits 50 calls')
  await command('reject', 'latest', 'ask')
  const { code, stderr } = await ended
  expect(code).not.toBe(0)
  expect(stderr).toContain('ApprovalStale: each[0]: team_id was 1, is 100; each[3]: team_id was 4, is 99')
  expect(await service.calls()).toEqual([])
})

it('asks again after a no to the calls of a loop, and a resume', async () => {
  const { command, asking, service } = await desk()
  const { ended } = await asking(['run', 'later.yaml'])
  await command('approve', 'latest', 'ask')
  const refuse = (): Promise<number> => command('reject', 'latest', 'each').then(({ code }) => code)
  await expect.poll(refuse).toBe(0)
  expect((await ended).stderr).toContain('ApprovalRejected')
  const again = await asking(['resume', 'latest'])
  await expect.poll(refuse).toBe(0)
  expect((await again.ended).stderr).toContain('ApprovalRejected')
  expect(await service.calls()).toEqual([])
})

it('does not ask again after a resume without changes', async () => {
  const { command } = await desk()
  await command('run', 'sealed.yaml', '--yes', ...input([1]))
  const { code, stderr } = await command('resume', 'latest')
  expect(code).toBe(1)
  expect(stderr).toContain('AssertionFailed')
  expect(stderr).not.toContain('awaiting approval')
})

it.each([
  ['choices', 'choices: { host: [web-01] }', 'choices: { host: [web-01, web-02] }'],
  ['policy', 'from: { count: 2 }', 'from: { count: 3 }'],
])(
  'asks again after a resume with another %s: the question of before is withdrawn',
  async (_, before, after) => {
    const asks = (more: string): string => `apiVersion: opsbook/v1
name: asks
steps:
  - id: which
    uses: core/ask
    with: { message: Which?, answer: { type: object, properties: { host: { type: string } } }, ${more} }
`
    const { folder, command, document, interrupted } = await openDesk({ 'asks.yaml': asks(before) })
    await interrupted('run', 'asks.yaml', '--sandbox')
    const [first] = (await document('inbox')).waiting
    await writeFile(join(folder, 'asks.yaml'), asks(after))
    await interrupted('resume', 'latest', '--runbook', 'asks.yaml', '--sandbox')
    const { questions } = await document('show', 'latest')
    expect(questions).toMatchObject([
      { status: 'withdrawn', is_superseded: true, shown: first.shown },
      { status: 'open' },
    ])
    const late = await command('answer', 'latest', 'which', '--shown', first.shown, '--set', 'host=web-01')
    expect(late).toMatchObject({ code: 2, stdout: '' })
    expect(late.stderr).toContain('which asks: Which?')
    expect(late.stderr).toContain(`--shown ${questions[1].shown}`)
    expect(late.stderr).toContain('has changed since, so it was not answered')
  },
)
