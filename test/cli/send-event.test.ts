import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { createAuthenticate, signDelivery } from '../../src/triggers/webhooks/index.ts'
import type { HookAuth } from '../../src/triggers/webhooks/read-delivery.ts'
import { newFolder, opsbook } from './support/opsbook.ts'
import { requireBuild } from './support/process.ts'
import { json as documentOf, serve } from './support/serve.ts'

beforeAll(requireBuild)

const secret = `whsec_${Buffer.from('a secret of 24 bytes or more').toString('base64')}`
const auths: readonly HookAuth[] = [
  { type: 'standard-webhooks', secrets: [secret] },
  { type: 'token', header: 'Authorization', secrets: ['one', 'two'] },
  { type: 'token', header: 'X-Token', secrets: ['one'] },
  { type: 'hmac', header: 'X-Signature', prefix: 'v1=', secrets: ['a secret of 16 bytes or more'] },
]

it.each(auths)('a delivery is signed as the hook checks it: $type $header', (auth) => {
  const body = '{"a":"é"}'
  const headers = Object.fromEntries(
    Object.entries(signDelivery(auth, { id: 'one', body, nowMs: Date.now() })).map(([name, value]) => [
      name.toLowerCase(),
      value,
    ]),
  )
  const authenticate = createAuthenticate(auth)
  expect(authenticate(headers, Buffer.from(body))).toBe(true)
  expect(authenticate({}, Buffer.from(body))).toBe(false)
})

const runbook = `apiVersion: opsbook/v1
name: listens
steps:
  - { id: built, uses: core/listen, with: { hook: ci, where: "\${{ event.n == 1 }}" } }
  - { id: called, uses: core/listen, with: { callback: done } }
outputs: { id: "\${{ steps.built.outputs.event_id }}", state: "\${{ steps.called.outputs.event.state }}" }
`
const configuration = `hooks: { ci: { auth: { type: standard-webhooks, secret: env:CI_SECRET } } }
serve: { public-url: "https://ops.test" }
`

it('events and callbacks are sent to serve, and take a run to its end', async () => {
  const folder = await newFolder({ 'opsbook.yaml': configuration, 'runbooks/listens.yaml': runbook })
  const env = { OPSBOOK_DATA_DIR: join(folder, 'data'), CI_SECRET: secret }
  const command = (words: readonly string[], stdin = '', more = {}) =>
    opsbook(words, { folder, env: { ...env, ...more }, stdin })
  const json = (words: readonly string[], stdin?: string) => documentOf(words, folder, env, stdin)
  const nobody = await command(['events', 'send', '--event', '-', '--to', '127.0.0.1:1'], '{}')
  expect([nobody.code, nobody.stderr]).toEqual([5, expect.stringContaining('no "opsbook serve" answers')])
  const { origin, running } = await serve(folder, env)
  const to = new URL(origin).host
  try {
    const { run_id: runId } = await json(['start', 'listens'])
    const waitsFor = async (path: string) =>
      expect
        .poll(async () =>
          ((await json(['show', runId])).waiting_attempts ?? []).map((one: { path: string }) => one.path),
        )
        .toEqual([path])
    await waitsFor('built')
    const sent = await json(['events', 'send', '--to', to, '--id', 'build-1', '--event', '-'], '{"n":1}')
    expect(sent).toEqual({ event_id: 'build-1', starts: [] })
    await waitsFor('called')
    const callback = ['events', 'send', '--to', to, '--event', '-', '--callback']
    const nothing = await command(['events', '--hook', `callbacks/${runId}/other`])
    expect(nothing.stdout).toContain('no event matches')
    await json([...callback, `${runId}/other`], '{}')
    expect((await command(['events'])).stdout).toContain('no step has taken it')
    expect((await command(['events'])).stdout).not.toContain('trigger')
    await json([...callback, `${runId}/done`], '{"state":"green"}')
    await expect
      .poll(async () => (await json(['show', runId])).outputs)
      .toEqual({ id: 'build-1', state: 'green' })
    const bytes = '\ufeff{"n":9007199254740993}'
    await json(['events', 'send', '--to', to, '--id', 'build-2', '--event', '-'], bytes)
    expect((await json(['events', 'show', 'build-2'])).body).toEqual({ n: '9007199254740993' })
    const wrong = await command(['events', 'send', '--to', to, '--event', '-'], '{}', {
      CI_SECRET: `whsec_${Buffer.from('another secret of many bytes').toString('base64')}`,
    })
    expect([wrong.code, wrong.stderr]).toEqual([
      1,
      expect.stringContaining('refused the event: the delivery is not authenticated'),
    ])
    const over = await command([...callback, `${runId}/done`, '--to', to], '{"state":"red"}')
    expect([over.code, over.stderr]).toEqual([1, expect.stringContaining('no step of the run can take it')])
  } finally {
    running.child.kill('SIGTERM')
    await running.ended
  }
})

it.each([
  [['--to', '10.0.0.1:80'], '--to takes an address of this machine'],
  [
    ['--to', 'http://127.0.0.1:80'],
    'such as 127.0.0.1:8687, not "http://127.0.0.1:80"\n  leave out "http://"',
  ],
  [['--callback', 'built'], '--callback takes RUN/NAME'],
  [['--callback', 'run_x/built'], 'no run here has a callback'],
  [['--hook', 'nonsense'], 'there is no hook "nonsense"'],
  [['--hook', 'ci', '--callback', 'a/b'], '--hook and --callback are two receivers'],
])('events send %j is refused', async (words, says) => {
  const folder = await newFolder({ 'opsbook.yaml': configuration })
  const env = { OPSBOOK_DATA_DIR: join(folder, 'data'), CI_SECRET: secret }
  const { code, stderr } = await opsbook(['events', 'send', '--event', '-', ...words], {
    folder,
    env,
    stdin: '{}',
  })
  expect([code, stderr]).toEqual([2, expect.stringContaining(says)])
})
