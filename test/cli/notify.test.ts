import { readdirSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startReceiver } from '../engine/notifications/receiver.ts'
import { keptTexts } from '../security/support/kept-texts.ts'
import { openDesk } from './support/desk.ts'
import { newFolder, opsbook } from './support/opsbook.ts'

const configuration = `notify:
  - { on: [approval_waiting, run_failed, outcome_unknown, start_limit_reached, schedule_missed], url: env:OPS_CHAT_URL, format: slack }
  - { on: [outcome_unknown], url: "file:chat.url" }
`
const link = /https:\/\/ops\.example\.com\/runs\/run_\w+/
const head = 'apiVersion: opsbook/v1\nname: test\nsteps:\n'
const create =
  '  - { id: make, uses: rum/application/create, with: { application_name: shop, type: browser, team_id: 1 } }\n'

const ask = `${head}  - { id: ok, uses: core/approve, with: { message: Go on?, timeout: 1ms } }\n`
const well = `${head}  - { id: fine, uses: core/set, with: { a: 1 } }\n`

test('people are told of what a run needs them for, and the address is nowhere', async () => {
  const [chat, program] = [await startReceiver(), await startReceiver()]
  const files = {
    'opsbook.yaml': `${configuration}console: { public-url: "https://ops.example.com/" }\n`,
    'chat.url': `${program.url}\n`,
    'test.yaml': head + create,
  }
  const { folder, command, losing } = await openDesk(files, { OPS_CHAT_URL: chat.url })
  const run = await losing('run', 'test.yaml', '--verbose')
  expect(run.code).toBe(4)
  expect(program.received).toHaveLength(1)
  expect(program.received[0]?.body).toMatchObject({
    kind: 'outcome_unknown',
    step: 'make',
    error_code: 'OutcomeUnknown',
    commands: [
      /opsbook show /,
      /opsbook decide run_\S+ make --as succeeded --data-dir \/\S+\/data$/,
      /--as failed --data-dir \/\S+\/data$/,
      /--as retry --data-dir \/\S+\/data$/,
    ].map((pattern) => expect.stringMatching(pattern)),
    link: expect.stringMatching(link),
    host: hostname(),
    data_dir: join(folder, 'data'),
  })
  expect(chat.received.map(({ body }) => body.text)).toEqual([
    expect.stringContaining('*test* needs a decision: the outcome of a write is unknown at make\n'),
  ])
  expect(chat.received[0]?.body.text).toMatch(link)
  const doctor = await command('doctor', '-o', 'json')
  expect(JSON.parse(doctor.stdout).checks).toContainEqual({
    name: 'notices',
    status: 'ok',
    message: '2 targets, everything was delivered',
  })
  const shown = await command('show', 'latest', '--full', '-o', 'json')
  const kept = Object.values(keptTexts(join(folder, 'data')))
  for (const text of [run, doctor, shown].flatMap(({ stdout, stderr }) => [stdout, stderr]).concat(kept))
    expect(text).not.toContain('T0KEN-4711')
})

test('the commands of a message work from anywhere, also where the folder was never named', async () => {
  const chat = await startReceiver()
  const target = 'notify: [{ on: [run_failed], url: env:OPS_CHAT_URL }]\ndata-dir: some folder\n'
  const { folder, surroundings } = await openDesk(
    { 'opsbook.yaml': target, 'test.yaml': ask },
    { OPS_CHAT_URL: chat.url },
  )
  expect((await opsbook(['run', 'test.yaml', '-q'], surroundings)).code).toBe(1)
  const [show = ''] = (chat.received[0]?.body['commands'] ?? []) as string[]
  const [, run = '', dataDir = ''] = /^opsbook show (\S+) --data-dir '(.*)'$/.exec(show) ?? []
  expect(dataDir).toBe(join(folder, 'some folder'))
  const elsewhere = await newFolder({})
  expect((await opsbook(['show', run, '--data-dir', dataDir], { folder: elsewhere })).code).toBe(0)
})

test('a message holds no output that is sensitive, whatever is revealed on the screen', async () => {
  const chat = await startReceiver()
  const asks = `${create}  - { id: ok, uses: core/approve, with: { message: "Use \${{ steps.make.outputs.client_token }}?", timeout: 1ms } }\n`
  const { command, document } = await openDesk(
    { 'opsbook.yaml': configuration, 'chat.url': chat.url, 'test.yaml': head + asks },
    { OPS_CHAT_URL: chat.url },
  )
  expect((await command('run', 'test.yaml', '--reveal', '-q')).code).toBe(1)
  const token = (await document('show', 'latest', '--full', '--reveal')).attempts[0].output.client_token
  expect(token).toMatch(/^\S{35}$/)
  expect(chat.received.length).toBe(2)
  for (const { body } of chat.received) {
    expect(body.text).toContain('Use (masked)?')
    expect(body.text).not.toContain(token)
  }
})

test('Ctrl-C leaves a target that hangs; doctor says what has not arrived, and the next run delivers it', async () => {
  const chat = await startReceiver()
  const fail = `${head}  - { id: wrong, uses: core/assert, with: { that: ["\${{ 1 == 2 }}"] } }\n`
  const files = { 'opsbook.yaml': configuration, 'chat.url': 'none', 'fail.yaml': fail, 'well.yaml': well }
  const { command, surroundings } = await openDesk(files, { OPS_CHAT_URL: chat.url })
  chat.manner = 'hang'
  const run = await opsbook(['run', 'fail.yaml', '-o', 'json', '-q', '--data-dir', 'data'], {
    ...surroundings,
    onWrite(text, { signal }) {
      if (text.includes('for notifications to arrive; Ctrl-C')) signal('SIGINT')
    },
  })
  expect({ code: run.code, status: JSON.parse(run.stdout).status }).toEqual({ code: 1, status: 'failed' })
  expect(chat.received).toHaveLength(1)
  const doctor = await command('doctor')
  expect(doctor.code).toBe(5)
  expect(doctor.stdout).toMatch(
    /warn {2}notices +env:OPS_CHAT_URL: 1 waiting to be delivered, since .*in time/,
  )
  expect(doctor.stdout).toMatch(
    /fail {2}notices +file:\S+chat\.url: .* does not hold an http or https address/,
  )
  chat.manner = 'take'
  expect((await command('run', 'well.yaml', '-q')).code).toBe(0)
  expect(chat.received).toHaveLength(2)
  expect(chat.received[1]).toEqual(chat.received[0])
})

test('a mistake under notify ends run before it makes its folder', async () => {
  const text = 'notify: [{ on: [run_failed], url: "https://hooks.example.com/T0KEN" }]'
  const folder = await newFolder({ 'opsbook.yaml': text, 'well.yaml': well })
  const { code, stderr } = await opsbook(['run', 'well.yaml', '--sandbox', '--data-dir', 'data'], { folder })
  expect(code).toBe(2)
  expect(readdirSync(folder)).not.toContain('data')
  expect(stderr).toContain('opsbook.yaml:1:35: "url" names the place')
  expect(stderr).not.toContain('T0KEN')
})

test('a mistake under notify keeps nobody from stopping a run, or from looking', async () => {
  const folder = await newFolder({ 'test.yaml': ask })
  const command = (...words: readonly string[]) => opsbook([...words, '--data-dir', 'data'], { folder })
  expect((await command('run', 'test.yaml', '--sandbox', '-q')).code).toBe(1)
  writeFileSync(join(folder, 'opsbook.yaml'), 'notify: [{ on: [run_faild], url: env:X }]\n')
  for (const words of [['show', 'latest'], ['runs'], ['logs', 'latest']] as const) {
    const { code, stdout, stderr } = await command(...words)
    expect({ words, code, isEmpty: stdout === '' }).toEqual({ words, code: 0, isEmpty: false })
    expect(stderr.match(/warning: the configuration opsbook.yaml is not valid/g)).toHaveLength(1)
    expect(stderr).toContain('opsbook.yaml:1:17: ')
  }
  // Refused for what they ask, and not for the configuration.
  expect((await command('cancel', 'latest')).stderr).toContain('has ended')
  expect((await command('approve', 'latest', 'ok')).stderr).toContain('time for an answer is over')
  expect((await command('decide', 'latest', 'ok', '--as', 'retry', '--no-resume')).stderr).toContain(
    'needs a decision',
  )
  const resumed = await command('resume', 'latest')
  expect({ code: resumed.code, isWarned: resumed.stderr.includes('warning') }).toEqual({
    code: 2,
    isWarned: false,
  })
  const doctor = await command('doctor', '--sandbox')
  expect(doctor.stdout).toMatch(/fail {2}configuration +the configuration opsbook.yaml is not valid/)
})

test('an address that is not set is told of before the run, once, and by doctor', async () => {
  const text =
    'notify: [{ on: [run_failed], url: env:X }, { on: [outcome_unknown], url: env:X, format: slack }]\n'
  const folder = await newFolder({ 'opsbook.yaml': text, 'well.yaml': well })
  const run = await opsbook(
    ['run', 'well.yaml', '--sandbox', '--allow-outside', '-q', '--data-dir', 'data'],
    { folder },
  )
  expect(run.code).toBe(0)
  expect(run.stderr).toBe(
    'warning: no notifications of run_failed, outcome_unknown can be sent to env:X: the environment variable X is not set\n',
  )
  const doctor = await opsbook(['doctor', '--sandbox', '--data-dir', 'data'], { folder })
  expect(doctor.stdout).toMatch(/fail {2}notices +env:X: the environment variable X is not set/)
})
