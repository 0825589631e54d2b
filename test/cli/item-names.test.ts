import { expect, test } from 'vitest'
import { startReceiver } from '../engine/notifications/receiver.ts'
import { newFolder, opsbook } from './support/opsbook.ts'
import { startService } from './support/service.ts'

const head = 'apiVersion: opsbook/v1\nname: test\n'
const secretItem = `${'x'.repeat(50)}-T0KEN-4711-${'y'.repeat(50)}`
const inputs = `inputs: { type: object, required: [hosts], properties: { hosts: { type: array, items: { type: string }, writeOnly: true } } }\n`
const ask = `steps:
  - id: ask
    for-each: { items: "\${{ ITEMS }}", as: host, max-parallel: 3 }
    uses: core/approve
    with: { message: Go on?, timeout: 1ms }
`
const names = ['name=shop', `${`name=pay, note=${'long-'.repeat(20)}`.slice(0, 59)}…`]
const makeApps = `${head}steps:
  - id: apps
    for-each: { items: [{ name: shop }, { name: pay, note: "${'long-'.repeat(20)}" }], as: app, max-parallel: 2 }
    uses: rum/application/create
    with: { application_name: "\${{ app.name }}", type: browser, team_id: 1 }
`
const notify = `notify:
  - { on: [approval_waiting, outcome_unknown], url: env:CHAT, format: slack }
  - { on: [approval_waiting, outcome_unknown], url: env:PROGRAM }
`

test('a notification names the item of a loop, cut at 60 characters', async () => {
  const [service, chat, program] = [await startService(), await startReceiver(), await startReceiver()]
  const folder = await newFolder({ 'opsbook.yaml': notify, 'test.yaml': makeApps })
  const env = { ...service.env(), CHAT: chat.url, PROGRAM: program.url }
  await service.fault({ operation: 'E2', close_after: true, every: 1 })
  expect((await opsbook(['run', 'test.yaml', '--data-dir', 'data', '-q'], { folder, env })).code).toBe(4)
  const [said] = program.received.map(({ body }) => body)
  const name = names[Number(said?.['index'])] ?? ''
  expect(said).toMatchObject({ step: `apps[${said?.['index']}]`, item: name })
  expect(chat.received[0]?.body['text']).toContain(
    `the outcome of a write is unknown at apps[${said?.['index']}] (${name})\n`,
  )
})

test('a notification names no sensitive item', async () => {
  const [service, chat, program] = [await startService(), await startReceiver(), await startReceiver()]
  const text = head + inputs + ask.replace('ITEMS', 'inputs.hosts')
  const folder = await newFolder({ 'opsbook.yaml': notify, 'test.yaml': text })
  const env = { ...service.env(), CHAT: chat.url, PROGRAM: program.url }
  const words = ['run', 'test.yaml', '--data-dir', 'data', '-q', '--input', `hosts=[${secretItem}]`]
  expect((await opsbook(words, { folder, env })).code).toBe(1)
  expect(program.received[0]?.body).toMatchObject({ step: 'ask[0]', index: 0, item: '(masked)' })
  for (const { body } of [...chat.received, ...program.received])
    expect(JSON.stringify(body)).not.toMatch(/T0KEN|xxx/)
})

test('decide names the item that it resolves, those that are left, and those to choose from', async () => {
  const service = await startService()
  const folder = await newFolder({ 'test.yaml': makeApps })
  const command = (...words: readonly string[]) =>
    opsbook([...words, '--data-dir', 'data'], { folder, env: service.env() })
  await service.fault({ operation: 'E2', close_after: true, every: 1 })
  expect((await command('run', 'test.yaml', '-q')).code).toBe(4)
  const vague = await command('decide', 'latest', 'apps', '--as', 'failed')
  expect(vague.stderr).toContain(`say which: apps[0] (${names[0]}), apps[1] (${names[1]})`)
  const decided = await command('decide', 'latest', 'apps[1]', '--as', 'failed')
  expect(decided.stderr).toContain(`apps[1] (${names[1]}) of run_`)
  expect(decided.stderr).toContain('1 more call has an unknown outcome')
  expect(decided.stderr).toContain(`apps[0] (${names[0]}):\n`)
})

test('approve names the items to choose from, and the one that it answers for', async () => {
  const folder = await newFolder({
    'test.yaml':
      head +
      ask
        .replace('${{ ITEMS }}', '[web-01, db-01]')
        .replace('1ms', '1h')
        .replaceAll('"[', '[')
        .replaceAll(']"', ']'),
  })
  const words = ['run', 'test.yaml', '--sandbox', '--data-dir', 'data', '-q']
  const answers: string[] = []
  let isAsked = false
  const run = opsbook(words, {
    folder,
    async onWrite(text, running) {
      const [runId] = /run_\w+/.exec(text) ?? []
      if (isAsked || runId === undefined || !text.includes('db-01')) return
      isAsked = true
      const answer = async (step: string): Promise<string> => {
        const { stdout, stderr } = await opsbook(['approve', runId, step, '--data-dir', 'data'], { folder })
        return stdout + stderr
      }
      // The record has the names a moment after the question.
      let vague = await answer('ask')
      while (!vague.includes('(')) vague = await answer('ask')
      answers.push(vague, await answer('ask[1]'))
      running.signal('SIGINT')
    },
  })
  await run
  expect(answers[0]).toContain('say which: ask[0] (web-01), ask[1] (db-01)')
  expect(answers[1]).toContain('ask[1] (db-01) of run_')
})

test('an item of a batch that failed is named by the tool', async () => {
  const text = `${head}steps:
  - id: look
    uses: monit/tools/invoke
    with: { target_locator: web-01, tools: [{ tool: os.overview }, { tool: nope.nope }] }
`
  const folder = await newFolder({ 'test.yaml': text })
  const { stdout } = await opsbook(['run', 'test.yaml', '--sandbox', '--data-dir', 'data', '-q'], { folder })
  expect(stdout).toMatch(/nope\.nope: unknown_tool: /)
})
