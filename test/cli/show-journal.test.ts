import { userInfo } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { expect, test } from 'vitest'
import { systemUserNamed } from '../support/identity.ts'
import { newFolder, opsbook } from './support/opsbook.ts'
import { startService } from './support/service.ts'

const head = 'apiVersion: opsbook/v1\nname: test\nsteps:\n'

async function runIn(steps: string, env: Record<string, string> = {}) {
  const folder = await newFolder({ 'test.yaml': head + steps })
  const command = (...words: readonly string[]) => opsbook([...words, '--data-dir', 'data'], { folder, env })
  const { stdout } = await command('run', 'test.yaml', '-o', 'json', '-q')
  return { folder, command, run: JSON.parse(stdout) as { run_id: string } }
}

const person = (name: string): string => JSON.stringify(systemUserNamed(name))

const create =
  '  - { id: make, uses: rum/application/create, with: { application_name: shop, type: browser, team_id: 1 } }\n'

test('show of a run that needs a decision: what was sent, when, and how to find out', async () => {
  const service = await startService()
  await service.fault({ operation: 'E2', close_after: true })
  const { command } = await runIn(create, service.env())
  const { stdout } = await command('show', 'latest')
  expect(stdout).toMatch(
    /\nmake: its outcome is unknown: it may or may not have been executed\n {2}call +rum\/application\/create,/,
  )
  expect(stdout).toMatch(/, attempt 1, at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\S+\n/)
  expect(stdout).toMatch(/\n {2}result +the connection broke/)
  expect(stdout).toMatch(/\n {2}request id +none/)
  expect(stdout).toContain('\n  sent\n    application_name: shop\n    type: browser\n    team_id: 1\n')
  expect(stdout).toMatch(/\n {2}find out +Look in the console of the service for an application/)
  expect(stdout.indexOf('find out')).toBeLessThan(stdout.indexOf('Needs a decision'))
})

test('show of a run that needs several decisions tells of each call in doubt, and of no other', async () => {
  const service = await startService()
  await service.fault({ operation: 'E2', close_after: true, times: 2 })
  const { command } = await runIn(
    `  - id: make
    for-each: { items: [1, 2, 3], tolerate: 3 }
    uses: rum/application/create
    with: { application_name: "shop \${{ item }}", type: browser, team_id: 1 }
`,
    service.env(),
  )
  const { stdout } = await command('show', 'latest')
  const told = stdout.split('\n').filter((line) => line.includes('its outcome is unknown'))
  expect(told).toEqual(
    ['make[0] (1)', 'make[1] (2)'].map(
      (path) => `${path}: its outcome is unknown: it may or may not have been executed`,
    ),
  )
})

test('the request id of an answer that came is told, and what an action of nobody says is general', async () => {
  const service = await startService()
  await service.fault({ operation: 'E2', broken_json: true })
  const { command, folder } = await runIn(create, service.env())
  const database = new DatabaseSync(join(folder, 'data', 'opsbook.db'))
  database.exec("UPDATE attempts SET action = 'desk/open', request_id = 'req-4711'")
  database.close()
  const { stdout } = await command('show', 'latest')
  expect(stdout).toMatch(/\n {2}request id +req-4711\n/)
  expect(stdout).toMatch(/\n {2}find out +Look in the target system/)
})

test('show --full: attempts, waits and what people did, in the order of time and no wider than it may be', async () => {
  const service = await startService()
  await service.fault({ operation: 'E7', times: 1, error: { code: 'InternalError' } })
  const { command, folder, run } = await runIn(
    `  - { id: file, uses: core/write, with: { content: hello }, save-as: hello.txt }
  - { id: pause, uses: core/wait, with: { for: 20ms } }
  - id: off
    uses: rum/issue/preset-severity/rules/disable
    with: { application_id: none, rule_id: nothing-of-the-kind }
    retry: { attempts: 3, delay: 20ms, errors: [InternalError] }
`,
    service.env(),
  )
  const database = new DatabaseSync(join(folder, 'data', 'opsbook.db'))
  const at = 2_000_000_000_000
  const no = {
    approved: false,
    by: systemUserNamed('dan'),
    comment: `no ${'very '.repeat(30)}much`,
    at: new Date(at + 5000).toISOString(),
  }
  database.exec(`
    INSERT INTO resumes VALUES ('${run.run_id}', 1, '${person('ann')}', ${at}, '{"repeat":["off"]}', NULL, '{"host":"web-01"}');
    INSERT INTO control_requests (run_id, kind, requested_by, comment, requested_at, taken_at)
      VALUES ('${run.run_id}', 'pause', '${person('ben')}', 'lunch', ${at + 1000}, ${at + 1200}),
             ('${run.run_id}', 'cancel', '${person('ben')}', NULL, ${at + 3000}, NULL);
    INSERT INTO decisions (run_id, path, decision, decided_by, comment, decided_at, resumes, error)
      VALUES ('${run.run_id}', 'off', 'retry', '${person('cem')}', 'not there', ${at + 2000}, 0, '{"code":"OutcomeUnknown","message":"lost","requestId":"r-1"}');
    INSERT INTO questions VALUES
      ('${run.run_id}', 'ok', 0, '{"path":"ok","message":"Go on?"}', ${at + 4000}, ${at + 9000}, 'answered', '${JSON.stringify([no])}'),
      ('${run.run_id}', 'ok', 1, '{"path":"ok","message":"Go on?"}', ${at + 3500}, NULL, 'withdrawn', '[]');
    UPDATE attempts SET superseded = 1, waited = 100, reused = 1 WHERE path = 'file'`)
  database.close()
  const { stdout } = await command('show', run.run_id, '--full')
  const journal = stdout.slice(stdout.indexOf('\nJournal\n'))
  const told = [
    `started by ${userInfo().username}`,
    /file {2}attempt 1 {2}core\/write {2}succeeded {2}\S+s, 0\.1s of it waiting/,
    /result\s+reused/,
    /tried\s+again\s+later,\s+by\s+resume\s+1/,
    /◷ pause {2}waited 0\.\ds as the runbook requires/,
    /\? off {2}attempt 1 .* failed .*\n.* {2}retried\n/,
    / {14}InternalError: /,
    / {14}sent\n {16}application_id: none\n/,
    /◷ off {2}waited 0\.0s before a retry/,
    /✖ off {2}attempt 2 .*\n.* {2}not retried\n/,
    '? run unknown: off: OutcomeUnknown: ',
    '2033-05-18',
    'resumed by ann, resume 1\n              asked for\n                repeat:',
    'the inputs before\n                host: web-01',
    'ben requested a pause: lunch  picked up after 0.2s',
    'off  cem decided: to be called again: not there  before: OutcomeUnknown',
    'ben requested cancellation  not picked up by any process',
    'ok  asks: Go on?  withdrawn  asked again later',
    'ok  asks, within 5.0s: Go on?',
    'ok  rejected by dan after 1.0s: no very',
  ]
  let from = 0
  for (const text of told) {
    const rest = journal.slice(from)
    const place = typeof text === 'string' ? rest.indexOf(text) : rest.search(text)
    expect(place, `${text} in ${rest}`).toBeGreaterThanOrEqual(0)
    from += place
  }
  for (const line of journal.split('\n')) expect([...line].length, line).toBeLessThanOrEqual(100)
  expect(stdout).toMatch(/\nArtifacts\n {2}hello\.txt {2}5 B {2}by file\n/)
  expect(stdout).toMatch(/\n {2}plan +[0-9a-f]{64}\n {2}started +\d{4}-/)

  const document = JSON.parse((await command('show', run.run_id, '--full', '-o', 'json')).stdout)
  expect(document).toMatchObject({
    started_by: systemUserNamed(userInfo().username),
    resumes: [
      {
        number: 1,
        by: systemUserNamed('ann'),
        changes: { repeat: ['off'] },
        inputs_before: { host: 'web-01' },
      },
    ],
    decisions: [
      {
        path: 'off',
        decision: 'retry',
        by: systemUserNamed('cem'),
        comment: 'not there',
        error: { request_id: 'r-1' },
      },
    ],
    control_requests: [
      { kind: 'pause', by: systemUserNamed('ben'), comment: 'lunch', taken_at: '2033-05-18T03:33:21.200Z' },
      { kind: 'cancel' },
    ],
    questions: [
      { status: 'withdrawn', is_superseded: true },
      { answers: [{ by: systemUserNamed('dan'), approved: false }] },
    ],
    artifacts: [{ file: 'hello.txt', bytes: 5 }],
    waits: [
      { path: 'pause', reason: 'wait', ended_at: expect.any(String) },
      { path: 'off', reason: 'retry' },
    ],
    attempts: [
      { path: 'file', is_superseded: true, superseded_by_resume: 1, is_taken_over: true, waited_ms: 100 },
      { path: 'off', attempt: 1, is_repeated: true, sent: { input: { application_id: 'none' } } },
      { path: 'off', attempt: 2, status: 'failed' },
    ],
  })
})
