import { writeFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { systemUser } from '../../src/engine/record/system-user.ts'
import { openDesk } from './support/desk.ts'
import { answerer, claimed } from './support/named.ts'
import { newFolder, opsbook, untilAsked } from './support/opsbook.ts'

const runbook = `apiVersion: opsbook/v1
name: people
steps:
  - { id: ask, uses: core/approve, with: { message: Create it? } }
  - { id: create, uses: rum/application/create, with: { application_name: shop, type: browser, team_id: 1 } }
  - { id: say, uses: core/log, with: { message: "made \${{ steps.create.outputs.application_id }} for \${{ steps.ask.outputs.by }}" } }
finally:
  - { id: bye, uses: core/log, with: { message: the end } }
`

async function desk() {
  const opened = await openDesk({ 'people.yaml': runbook })
  return {
    ...opened,
    /** Starts the run, and resolves once it asks; `ended` with what it came to. */
    asking: () => opened.asking(['run', 'people.yaml']),
    /** Runs it, approved in advance, with the answer of the create lost. */
    async unknown() {
      const result = await opened.losing('run', 'people.yaml', '--yes')
      expect(result.code, result.stderr).toBe(4)
      return result
    },
  }
}

it('is approved from another terminal, by name and with a comment; the second answer is told of the first', async () => {
  const { asking, command, document } = await desk()
  const { ended } = await asking()
  expect((await command('show', 'latest')).stdout).toMatch(
    /opsbook approve run_\w+ ask --shown 1-\w+ --data-dir data/,
  )
  const approved = await command('approve', 'latest', 'ask', '--by', 'ada', '--comment', 'go')
  expect(approved).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`was approved by ${answerer('ada')}`),
  })
  const second = await command('reject', 'latest', 'ask', '--by', 'bob')
  expect(second).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/approved by ada \(claimed on the command line, user \S+\) at 20/),
  })
  const run = await ended
  expect(run.code).toBe(0)
  expect(run.stderr).toContain(`approved by ${answerer('ada')}: go`)
  expect(run.stderr).toMatch(/made \S+ for ada/)
  const { questions, started_by } = await document('show', 'latest')
  expect(questions).toMatchObject([{ answers: [{ by: claimed('ada'), comment: 'go' }] }])
  expect(started_by).toEqual({ name: systemUser(), source: 'system-user', user: systemUser() })
  const { stdout } = await command('show', 'latest')
  expect(stdout).toMatch(
    /\nPeople\n {2}ask approved {2}\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\S+ {2}by ada \(claimed on the command line, user \S+\): go\n/,
  )
})

it.each([
  ['', 'is being cancelled\n'],
  ['finally: [{ id: bye, uses: core/log, with: { message: bye } }]\n', 'being cancelled; its clean-up runs,'],
])(
  'is cancelled: it speaks of its clean-up, and of a new sandbox, only if it has one: %o',
  async (cleanUp, says) => {
    const ask = '{ id: ask, uses: core/approve, with: { message: Go? } }'
    const { command, asking, interrupted } = await openDesk({
      'ask.yaml': `apiVersion: opsbook/v1\nname: ask\nsteps:\n  - ${ask}\n${cleanUp}`,
    })
    const { ended } = await asking(['run', 'ask.yaml', '--sandbox'])
    expect((await command('cancel', 'latest')).stdout).toContain(says)
    await ended
    await interrupted('run', 'ask.yaml', '--sandbox')
    const { code, stderr } = await command('cancel', 'latest')
    expect(code, stderr).toBe(0)
    expect(stderr.includes('the sandbox of this run has ended')).toBe(cleanUp !== '')
  },
)

it('is rejected from another terminal', async () => {
  const { asking, command, service } = await desk()
  const { ended } = await asking()
  const { stdout } = await command('reject', 'latest', 'ask', '--comment', 'not now', '-o', 'json')
  expect(JSON.parse(stdout)).toMatchObject({ step: 'ask', status: 'rejected' })
  expect(await ended).toMatchObject({ code: 3, stdout: expect.stringContaining('not now') })
  expect(await service.calls()).not.toContain('E2')
})

it('is cancelled from another terminal: its clean-up runs', async () => {
  const { asking, command } = await desk()
  const { ended } = await asking()
  expect((await command('show', 'latest')).stdout).toMatch(/\n {2}◷ ask +core\/approve +waiting /)
  expect(await command('cancel', 'latest', '--comment', 'wrong day')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('being cancelled'),
  })
  const run = await ended
  expect(run.code).toBe(3)
  expect(run.stderr).toMatch(/cancelled by \S+: wrong day/)
  expect(run.stderr).toContain('bye: the end')
  const { stdout } = await command('show', 'latest')
  expect(stdout).not.toContain('resumed')
  expect(stdout).toMatch(
    /\nPeople\n {2}cancelled {2}\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\S+ {2}by \S+: wrong day\n/,
  )
})

it('is paused, and continues', async () => {
  const { asking, command, service } = await desk()
  const { ended } = await asking()
  expect((await command('pause', 'latest')).code).toBe(0)
  expect(await command('pause', 'latest')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('is already paused'),
  })
  expect((await command('runs', '--status', 'paused')).stdout).toContain('people')
  await command('approve', 'latest', 'ask')
  expect(await service.calls()).not.toContain('E2')
  expect((await command('unpause', 'latest')).code).toBe(0)
  expect((await ended).code).toBe(0)
})

it.each([
  {
    decision: 'succeeded',
    words: ['--outputs', '{"application_id": "app_found"}'],
    creates: 1,
    said: 'made app_found',
  },
  {
    decision: 'succeeded',
    words: ['--outputs', '{"application_id": "app_found", "client_token": null}'],
    creates: 1,
    said: 'made app_found',
  },
  { decision: 'retry', words: [], creates: 2, said: 'made ' },
])('resumes once it is decided as $decision', async ({ decision, words, creates, said }) => {
  const { unknown, command, service } = await desk()
  expect((await unknown()).stdout).toMatch(/opsbook decide run_\w+ create --as failed --data-dir data$/m)
  const decided = await command('decide', 'latest', 'create', '--as', decision, ...words)
  expect(decided.code, decided.stderr).toBe(0)
  expect(decided.stderr).toContain(said)
  expect((await service.calls()).filter((operation) => operation === 'E2')).toHaveLength(creates)
})

it('records a decision without going on', async () => {
  const { unknown, command } = await desk()
  await unknown()
  const decided = await command('decide', 'latest', 'create', '--as', 'failed', '--no-resume')
  expect(decided).toMatchObject({ code: 0, stderr: expect.stringContaining('opsbook resume run_') })
  expect((await command('resume', 'latest')).stdout).toContain('DecidedFailed')
})

it('cancels what needs a decision: the clean-up runs, nothing is sent again', async () => {
  const { unknown, command, service } = await desk()
  await unknown()
  const cancelled = await command('cancel', 'latest')
  expect(cancelled.code, cancelled.stderr).toBe(0)
  expect(cancelled.stderr).toMatch(/run \S+ of people is being cancelled: only its clean-up runs\n/)
  expect(cancelled.stderr).toContain('bye: the end')
  expect((await service.calls()).filter((operation) => operation === 'E2')).toHaveLength(1)
  expect((await command('runs', '--status', 'cancelled')).stdout).toContain('people')
  const { stdout } = await command('show', 'latest', '--full')
  expect(stdout).toMatch(/\n {2}cancelled {2,}\d.* by \S+\n/)
  expect(stdout).not.toContain('resumed')
})

it.each([
  ['approve run_nothing ask', 'there is no run'],
  ['approve latest aks', 'asks nothing now'],
  ['decide latest creat --as retry', 'did you mean create?'],
  ['decide latest bye --as retry', 'needs no decision; what does: create'],
  ['decide latest create --as maybe', 'Allowed choices are succeeded, failed, retry'],
  ['decide latest create --as retry --outputs {}', '--outputs needs'],
  ['decide latest create --as succeeded --outputs [1]', 'must be a map'],
  ['decide latest create --as succeeded', 'later steps read application_id of the answer of create'],
  [
    'decide latest create --as succeeded --outputs {"client_token":"x"}',
    'later steps read application_id of the answer of create: --outputs lacks application_id',
  ],
  ['decide latest create --as succeeded --outputs {"aplication_id":"x"}', 'did you mean "application_id"?'],
  ...[
    ['[1,2]', 'an array'],
    ['5', 'a number'],
    ['null', 'null'],
  ].map(([id, kind]) => [
    `decide latest create --as succeeded --outputs {"application_id":${id}}`,
    `application_id must be a string, not ${kind}`,
  ]),
  [
    'decide latest create --as succeeded --outputs {"client_token":5}',
    ` create --as succeeded --outputs '{"application_id": …, "client_token": …}' --data-dir data`,
  ],
  ['cancel latest --by ', '--by is empty'],
  [`decide latest create --as retry --by ${'x'.repeat(300)}`, 'at most 200'],
  ['pause latest', 'no process executes it'],
  ['unpause latest', 'is not paused'],
])('%s changes nothing: %s', async (line = '', says = '') => {
  const { unknown, command, document } = await desk()
  await unknown()
  const before = await document('show', 'latest')
  expect(await command(...line.split(' '))).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(says),
  })
  expect(await document('show', 'latest')).toEqual(before)
})

it('says that an answer to a paused run counts after unpause', async () => {
  const { asking, command } = await desk()
  const { ended } = await asking()
  await command('pause', 'latest')
  const approved = await command('approve', 'latest', 'ask')
  expect(approved.stdout).toMatch(
    /the answer is recorded, and the run continues after "unpause"\n {2}A yes permits[\s\S]*?\n {2}opsbook unpause run_\w+ --data-dir data\n/,
  )
  await command('unpause', 'latest')
  expect((await ended).code).toBe(0)
})

it('who may answer is what the run has recorded, not what the folder of the answer says', async () => {
  const me = userInfo().username
  const asks = `apiVersion: opsbook/v1
name: asks
steps: [{ id: ok, uses: core/approve, with: { message: Go?, from: { groups: [leads] } } }]
`
  const people = (name: string): string => `people: { trust: [system-user], groups: { leads: [${name}] } }\n`
  const others = await newFolder({ 'asks.yaml': asks, 'opsbook.yaml': people('somebody-else') })
  const mine = await newFolder({ 'opsbook.yaml': people(me) })
  const dataDir = join(others, 'data')
  const command = (folder: string, ...words: readonly string[]) =>
    opsbook([...words, '--data-dir', dataDir], { folder })
  const asking = (...words: readonly string[]) =>
    untilAsked([...words, '--data-dir', dataDir], { folder: others })
  const first = await asking('run', 'asks.yaml')
  expect((await command(mine, 'approve', 'latest', 'ok')).stderr).toContain(
    `${me} is in none of the groups that may answer: leads`,
  )
  const [question] = JSON.parse((await command(mine, 'show', 'latest', '-o', 'json')).stdout).questions
  expect(question).toMatchObject({
    people: { groups: { leads: ['somebody-else'] }, trust: ['system-user'] },
    answers: [],
  })
  first.signal('SIGINT')
  await first.ended
  // A resume asks the people of now.
  await writeFile(join(others, 'opsbook.yaml'), people(me))
  const again = await asking('resume', 'latest')
  expect((await command(await newFolder(), 'approve', 'latest', 'ok')).stdout).toContain(
    `by ${me} (system user)`,
  )
  expect(await again.ended).toMatchObject({ code: 0 })
})
