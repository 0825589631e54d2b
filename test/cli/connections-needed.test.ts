import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startSandbox } from 'opsbook/sandbox'
import { describe, expect, it, onTestFinished, test, vi } from 'vitest'
import { newFolder, opsbook, type RunningCommand } from './support/opsbook.ts'

const head = 'apiVersion: opsbook/v1\nname: one\nsteps:\n'
const quiet = `${head}  - { id: a, uses: core/log, with: { message: hello } }\n`
const named = `${head}  - { id: a, uses: monit/tools/catalog, connection: one, with: { target_locator: web-01 } }\n`
const unnamed = `${head}  - { id: a, uses: monit/tools/catalog, with: { target_locator: web-01 } }\n`

/** Two connections, and none of them the default. */
async function twoConnections(): Promise<string> {
  const sandbox = await startSandbox({ port: 0 })
  onTestFinished(() => sandbox.close())
  const connection = `{ base-url: "${sandbox.url}", app-key: env:KEY }`
  return `connections: { one: ${connection}, two: ${connection} }\n`
}
const env = { KEY: 'sandbox-owner' }
const words = ['run', 'one.yaml', '--data-dir', 'data', '-q', '-o', 'json']

describe('a connection', () => {
  it('is not needed by a runbook that calls nothing of the service, and its key is not looked for', async () => {
    for (const configuration of [
      '{}\n',
      'connections: { one: { base-url: "http://127.0.0.1:1", app-key: env:NONE } }\n',
    ]) {
      const folder = await newFolder({ 'one.yaml': quiet, 'opsbook.yaml': configuration })
      const { code, stdout, stderr } = await opsbook(words, { folder })
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(JSON.parse(stdout)).not.toHaveProperty('connection')
    }
  })

  it('that each step names is enough', async () => {
    const folder = await newFolder({ 'one.yaml': named, 'opsbook.yaml': await twoConnections() })
    expect(await opsbook(words, { folder, env })).toMatchObject({ code: 0, stderr: '' })
  })

  it('is asked for where a step names none, before anything is sent', async () => {
    const folder = await newFolder({ 'one.yaml': unnamed, 'opsbook.yaml': await twoConnections() })
    const { code, stderr } = await opsbook(words, { folder, env })
    expect({ code, stderr }).toEqual({
      code: 5,
      stderr: expect.stringContaining('choose one with --connection: one, two'),
    })
  })

  it('is not needed by a resumed run either', async () => {
    const failing = `${quiet}  - { id: b, uses: core/assert, with: { that: ["\${{ 1 == 2 }}"] } }\n`
    const folder = await newFolder({ 'one.yaml': failing })
    expect((await opsbook(words, { folder })).code).toBe(1)
    const resumed = await opsbook(['resume', 'latest', '--data-dir', 'data', '-q', '-o', 'json'], { folder })
    expect(resumed).toMatchObject({ code: 1, stderr: '' })
  })

  it('that is missing in serve fails the run that needs it, with its code', async () => {
    const folder = await newFolder({
      'one.yaml': quiet,
      'need.yaml': unnamed.replace('name: one', 'name: need'),
    })
    const place = ['--data-dir', 'data']
    let running: RunningCommand | undefined
    const served = opsbook(['serve', 'one.yaml', '--listen', '127.0.0.1:0', ...place], {
      folder,
      onWrite(text, command) {
        if (text.startsWith('serve ready')) running = command
      },
    })
    await expect.poll(() => running).toBeDefined()
    const runId = (await opsbook(['start', 'need.yaml', ...place], { folder })).stdout.trim()
    const show = async () =>
      JSON.parse((await opsbook(['show', runId, '-o', 'json', ...place], { folder })).stdout)
    await expect.poll(async () => (await show()).status).toBe('failed')
    expect((await show()).error).toMatchObject({ code: 'MissingKey' })
    running?.signal('SIGTERM')
    expect((await served).code).toBe(0)
  })
})

test('the guide of custom actions is typed as it stands', async () => {
  const page = readFileSync(new URL('../../docs/custom-actions.md', import.meta.url), 'utf8')
  const blocks = [...page.matchAll(/`([\w.-]+)`[^\n]*:\n\n```\w+\n(.*?)^```$/gms)]
  const folder = await newFolder(Object.fromEntries(blocks.map(([, name = '', text = '']) => [name, text])))
  const commands = [...page.matchAll(/^\$ (.*)$/gm)].map(([, command = '']) => command)
  expect(commands).toEqual([
    'npm install /path/to/opsbook',
    'opsbook validate disk-full.yaml --with-actions',
    expect.stringMatching(/^node -e ".*listen\(8099\)"$/),
    'TICKETS_URL=http://127.0.0.1:8099 opsbook run disk-full.yaml --input host=web-01',
  ])
  // Its own handler, on a free port.
  const [, handler = ''] = /createServer\((.*)\)\.listen/.exec(commands[2] ?? '') ?? []
  const server: Server = createServer(new Function(`return ${handler}`)())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  vi.stubEnv('TICKETS_URL', `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  onTestFinished(() => void vi.unstubAllEnvs())
  const [, ...typed] = (commands[3] ?? '').split(' ').slice(1)
  const { code, stdout } = await opsbook([...typed, '--data-dir', 'data'], { folder })
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('ticket: T-1') })
})
