import { expect, test } from 'vitest'
import { startReceiver } from '../../notifications/receiver.ts'
import { type Engines, enginesOfTest } from './open-engines.ts'

const head = 'apiVersion: opsbook/v1\nname: test\nsteps:\n'
const files = {
  'fail.yaml': `${head}  - { id: wrong, uses: core/assert, with: { that: ["\${{ 1 == 2 }}"], message: it does not hold } }\n`,
  'token.yaml': `${head}  - { id: make, uses: rum/application/create, with: { application_name: shop, type: browser, team_id: 1 } }
  - { id: ok, uses: core/approve, with: { message: "Use \${{ steps.make.outputs.client_token }}?" } }
`,
}
const notify =
  'notify: [{ on: [approval_waiting, run_failed, outcome_unknown], url: "file:chat.url", format: json }]\n'

async function withReceiver(): Promise<{
  engines: Engines
  chat: Awaited<ReturnType<typeof startReceiver>>
}> {
  const chat = await startReceiver()
  const engines = await enginesOfTest({ ...files, 'chat.url': `${chat.url}\n` }, { more: notify })
  return { engines, chat }
}

test('the worker notifies people of a question and of a failure, with commands that work', async () => {
  const { engines, chat } = await withReceiver()
  const { stdout } = await engines.temporal(['start', 'token.yaml'])
  const id = stdout.trim()
  await chat.has(1)
  expect(chat.received[0]?.body).toMatchObject({
    kind: 'approval_waiting',
    runbook: 'test',
    run_id: id,
    step: 'ok',
    message: '[sandbox] Use (masked)?',
    server: engines.env['TEMPORAL_ADDRESS'],
    namespace: 'default',
    commands: ['approve', 'reject'].map((verb) =>
      expect.stringMatching(`^opsbook ${verb} ${id} ok --shown 1-\\w+ --engine temporal$`),
    ),
  })
  expect(chat.received[0]?.id).toBe(chat.received[0]?.body['delivery_id'])
  const [, reject = ''] = (chat.received[0]?.body['commands'] ?? []) as string[]
  expect((await engines.temporal(reject.split(' ').slice(1))).code).toBe(0)
  expect((await engines.temporal(['watch', id])).code).toBe(3)
  await chat.has(2)
  expect(chat.received[1]?.body).toMatchObject({ kind: 'run_failed', error_code: 'ApprovalRejected' })
  // A process of today knows the address only from its own configuration.
  for (const words of [['show', id, '--full', '-o', 'json'], ['doctor']])
    expect((await engines.temporal(words)).stdout).not.toContain('T0KEN-4711')
}, 60_000)

test('a target that refuses a notification delays no run; doctor reports it, and the worker retries', async () => {
  const { engines, chat } = await withReceiver()
  chat.manner = 'fail'
  expect((await engines.temporal(['run', 'fail.yaml', '-q'])).code).toBe(1)
  await chat.has(1)
  const told = /warn +notices +file:\S+chat\.url: 1 waiting to be delivered, since .*HTTP 500/
  await expect.poll(async () => (await engines.temporal(['doctor'])).stdout).toMatch(told)
  chat.manner = 'take'
  await chat.has(2)
  expect(chat.received[1]).toEqual(chat.received[0])
  await expect.poll(async () => (await engines.temporal(['doctor'])).stdout).not.toMatch(/warn +notices/)
}, 60_000)
