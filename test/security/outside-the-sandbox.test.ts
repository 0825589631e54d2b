/** A run that was meant to try something pages people, restarts a host or writes to a system of others. */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createActions } from 'opsbook'
import { describe, expect, it } from 'vitest'
import { insideSandbox } from '../../src/actions/inside-sandbox.ts'
import { contextWith } from '../actions/context-with.ts'
import { type CommandResult, newFolder, opsbook } from '../cli/support/opsbook.ts'
import { startReceiver } from '../engine/notifications/receiver.ts'
import { startServing } from './support/serve-in-process.ts'

const head = `apiVersion: opsbook/v1
name: test
inputs:
  type: object
  required: [to]
  properties: { to: { type: string } }
`
const send =
  '{ id: send, uses: core/http, with: { method: POST, url: "${{ inputs.to }}", safety: idempotent, body: { a: 1 } } }'
const fine = '{ id: fine, uses: core/set, with: { a: 1 } }'
const steps = (...list: readonly string[]): string =>
  `steps:\n${list.map((step) => `  - ${step}\n`).join('')}`

const more = (keys: string): string => `${send.slice(0, -2)}, ${keys} }`
const child =
  '{ id: child, uses: core/run, with: { runbook: ./child.yaml, inputs: { to: "${{ inputs.to }}" } } }'
const loop = `{ id: each, for-each: { items: "\${{ [1, 2] }}", as: one }, steps: [${send}] }`
const until = 'repeat: { until: "${{ outputs.status == 200 }}", interval: 1s, max-wait: 1m }'

/** The step that leaves the sandbox stands in all places that a runbook has for steps. */
const places: readonly (readonly [about: string, text: string, path: string])[] = [
  ['a step', steps(send), 'send (core/http)'],
  ['a step of finally', `${steps(fine)}finally:\n  - ${send}\n`, 'send (core/http)'],
  [
    'a step of catch',
    steps(`{ id: all, steps: [${fine}], catch: [{ errors: [all], steps: [${send}] }] }`),
    'all/send (core/http)',
  ],
  ['a step that is repeated', steps(more(until)), 'send (core/http)'],
  ['a branch', steps(`{ id: both, parallel: [${fine}, ${send}] }`), 'both/send (core/http)'],
  ['a step of a loop', steps(loop), 'each/send (core/http)'],
  ['a runbook that is run', steps(child), 'child/send (core/http)'],
  [
    'a step whose condition only the run can tell',
    steps(fine, more(`if: "\${{ run.id != '' }}"`)),
    'send (core/http)',
  ],
  ['an action of the project', steps('{ id: page, uses: pager/page }'), 'page (pager/page)'],
]

const pagerAt = (url: string): string => `import { defineAction } from 'opsbook'
export const page = defineAction({
  name: 'pager/page', summary: 'Page', safety: 'idempotent', input: { type: 'object' }, output: { type: 'object' },
  async run() { await fetch('${url}', { method: 'POST', body: '{}' }); return {} },
})
`

async function newStage(text: string, configuration = '') {
  const receiver = await startReceiver()
  const folder = await newFolder({
    'opsbook.yaml': `actions: [./pager.mjs]\n${configuration}`,
    'pager.mjs': pagerAt(receiver.url),
    'test.yaml': head + text,
    'child.yaml': `${head.replace('test', 'child')}${steps(send)}`,
  })
  const env = { OPS_CHAT_URL: receiver.url }
  const command = (...words: readonly string[]): Promise<CommandResult> =>
    opsbook([...words, '--data-dir', 'data'], { folder, env })
  const to = ['--input', `to=${receiver.url}`]
  return { receiver, folder, env, command, to }
}

describe('a sandbox run is refused before anything is sent', () => {
  it.each(places)('where it can reach %s that leaves the sandbox', async (_, text, path) => {
    const { receiver, folder, command, to } = await newStage(text)
    const { code, stderr } = await command('run', 'test.yaml', '--sandbox', ...to)
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(
        /error: OutsideSandbox: .* would leave the sandbox[\s\S]*--allow-outside/,
      ),
    })
    expect(stderr).toContain(path)
    expect([receiver.received, existsSync(join(folder, 'data'))]).toEqual([[], false])
  })

  it('and not where the step is certain to be skipped', async () => {
    const { command, to } = await newStage(steps(more(`if: "\${{ inputs.to == '' }}"`)))
    expect((await command('run', 'test.yaml', '--sandbox', ...to)).code).toBe(0)
  })

  it('--allow-outside lets it go, and belongs to a sandbox', async () => {
    const { receiver, command, to } = await newStage(steps(send, '{ id: page, uses: pager/page }'))
    const { code } = await command('run', 'test.yaml', '--sandbox', '--allow-outside', ...to)
    expect([code, receiver.received.length]).toEqual([0, 2])
    const alone = await command('run', 'test.yaml', '--allow-outside', ...to)
    expect([alone.code, alone.stderr]).toEqual([2, expect.stringContaining('needs --sandbox')])
  })

  it('call has no way out either', async () => {
    const { receiver, command } = await newStage(steps(fine))
    const { code } = await opsbook(['call', 'core/http', '--sandbox', '-i', `url=${receiver.url}`])
    expect([code, (await command('call', 'pager/page', '--sandbox')).code, receiver.received]).toEqual([
      2,
      2,
      [],
    ])
  })
})

it('what no check has foreseen is refused as it is called', async () => {
  const http = insideSandbox(createActions()).find(({ name }) => name === 'core/http')
  await expect(http?.run({ url: 'http://127.0.0.1:1/' }, contextWith({}))).rejects.toMatchObject({
    code: 'OutsideSandbox',
    notSent: true,
  })
})

describe('a resumed run keeps what it was started with', () => {
  const stop = '{ id: stop, uses: core/assert, with: { that: ["${{ inputs.go }}"] } }'
  const before = head.replace('{ to:', '{ go: { type: boolean, default: false }, to:')

  it.each([[[]], [['--sandbox']]])('that it may leave the sandbox: resume %s', async (more) => {
    const { receiver, folder, command, to } = await newStage('')
    writeFileSync(join(folder, 'test.yaml'), before + steps(stop, send))
    expect((await command('run', 'test.yaml', '--sandbox', '--allow-outside', ...to)).code).toBe(1)
    const { code, stderr } = await command('resume', 'latest', '-i', 'go=true', ...more)
    expect({ code, stderr, sent: receiver.received.length }).toMatchObject({ code: 0, sent: 1 })
  })

  it('that it may not', async () => {
    const { receiver, folder, command, to } = await newStage('')
    writeFileSync(join(folder, 'test.yaml'), before + steps(stop))
    expect((await command('run', 'test.yaml', '--sandbox', ...to)).code).toBe(1)
    writeFileSync(join(folder, 'test.yaml'), before + steps(stop, send))
    const words = ['resume', 'latest', '-i', 'go=true', '--runbook', 'test.yaml']
    const { code, stderr } = await command(...words)
    expect([code, stderr, receiver.received]).toEqual([2, expect.stringContaining('OutsideSandbox'), []])
    expect((await command(...words, '--allow-outside')).code).toBe(0)
    expect(receiver.received).toHaveLength(1)
  })
})

describe('notifications of a sandbox run', () => {
  const notify =
    'notify: [{ on: [run_failed], url: env:OPS_CHAT_URL }, { on: [run_failed], url: env:OPS_CHAT_URL, format: slack }]\n'
  const failing = steps('{ id: fails, uses: core/assert, with: { that: [false] } }')

  it('are not sent, and that is said', async () => {
    const { receiver, command, to } = await newStage(failing, notify)
    const { code, stderr } = await command('run', 'test.yaml', '--sandbox', ...to)
    expect([code, receiver.received]).toEqual([1, []])
    expect(stderr).toContain('notifications are not sent from a sandbox')
  })

  it('carry [sandbox] where they are', async () => {
    const { receiver, command, to } = await newStage(failing, notify)
    await command('run', 'test.yaml', '--sandbox', '--allow-outside', ...to)
    const bodies = receiver.received.map(({ body }) => body)
    expect(bodies).toContainEqual({ text: expect.stringMatching(/^\[sandbox\] \*test\* has failed/) })
    expect(bodies).toContainEqual(
      expect.objectContaining({ message: expect.stringMatching(/^\[sandbox\] /), sandbox: true }),
    )
  })
})

describe('serve with a sandbox', () => {
  it('says which runbooks can leave it, and start refuses their runs', async () => {
    const { receiver, folder, env, to } = await newStage(steps(send))
    const surroundings = { folder, env: { ...env, OPSBOOK_DATA_DIR: join(folder, 'data') } }
    const serving = await startServing(['--sandbox', 'test.yaml'], surroundings)
    expect(serving.text()).toContain('test can leave the sandbox: send (core/http)')
    const { code, stderr } = await opsbook(['start', 'test.yaml', ...to], surroundings)
    expect([code, stderr]).toEqual([2, expect.stringContaining('OutsideSandbox')])
    expect(receiver.received).toEqual([])
  })

  it('refuses those that start themselves as it picks them up', async () => {
    const triggered = `triggers: [{ type: incident, with: { to: "\${{ event.incident.title }}" } }]\n${steps(fine, send)}`
    const { receiver, folder, env } = await newStage(
      triggered,
      'hooks: { ops: { event: incident, id: "${{ body.id }}" } }\n',
    )
    const surroundings = { folder, env: { ...env, OPSBOOK_DATA_DIR: join(folder, 'data') } }
    const serving = await startServing(['--sandbox', 'test.yaml'], surroundings)
    const answer = await fetch(`${serving.url}/hooks/ops`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ id: 'e-1', incident: { id: 'i', title: receiver.url } }),
    })
    expect(answer.status).toBe(200)
    await expect
      .poll(async () => JSON.parse((await opsbook(['runs', '-o', 'json'], surroundings)).stdout).runs)
      .toMatchObject([{ status: 'failed', error: { code: 'OutsideSandbox' } }])
    expect(receiver.received).toEqual([])
  })
})

it('plan names what would leave the sandbox', async () => {
  const { folder, to } = await newStage(
    steps(child),
    'notify: [{ on: [run_failed], url: env:OPS_CHAT_URL }]\n',
  )
  const plan = async (...words: readonly string[]): Promise<string> =>
    (await opsbook(['plan', 'test.yaml', ...to, ...words], { folder })).stdout
  const outside = { steps: [{ path: 'child/send', action: 'core/http' }], notifications: 1 }
  expect(JSON.parse(await plan('--sandbox', '-o', 'json'))).toMatchObject({ outside })
  expect(JSON.parse(await plan('-o', 'json'))).not.toHaveProperty('outside')
  expect(await plan('--sandbox')).toMatch(
    /leaves the sandbox +refused without --allow-outside\n +child\/send: core\/http\n +notifications to 1 target/,
  )
})
