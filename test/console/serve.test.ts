import { chmodSync, existsSync, mkdirSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { newFolder, opsbook } from '../cli/support/opsbook.ts'
import { sendRaw } from '../security/support/send-raw.ts'
import { refusedServing, startServing } from '../security/support/serve-in-process.ts'
import { logIn } from './support/open-console.ts'
import { addressOf, serveConsole } from './support/serve-console.ts'

const configured = (listen: string) => ({ 'opsbook.yaml': `console: { listen: "${listen}" }\n` })
const words = ['--sandbox', '--data-dir', 'data']

test('serve opens the console that opsbook.yaml asks for, and "opsbook console" lets its system user in', async () => {
  const folder = await newFolder(configured('127.0.0.1:0'))
  const serving = await startServing(words, { folder })
  const socket = join(folder, 'data/console.sock')
  // Only the system user of serve can ask for a code.
  expect(statSync(socket).mode & 0o777).toBe(0o600)
  const { url, login } = await addressOf({ folder })
  expect(serving.answer()).toContain(`console    ${url}, where "opsbook console" lets people in`)
  expect((await sendRaw(`${url}/api/v1/runs`, {})).status).toBe(401)
  const cookie = await logIn(url, new URL(login).searchParams.get('code') ?? '')
  expect((await sendRaw(`${url}/api/v1/runs`, { cookie })).text).toBe('{"runs":[]}')
  // Each call gives another code.
  expect((await addressOf({ folder })).login).not.toBe(login)
  await serving.stop()
  expect(existsSync(socket)).toBe(false)
})

test('without a serve that has a console, "opsbook console" says what to do', async () => {
  const folder = await newFolder()
  const { code, stderr } = await opsbook(['console', '--data-dir', 'data'], { folder })
  expect(code).toBe(5)
  expect(stderr).toMatch(/^error: no "opsbook serve" with a console uses \S+data\n/)
  expect(stderr).toContain('opsbook console --read-only')
  expect(stderr).toContain('with "console: {}" in opsbook.yaml, "opsbook serve" opens a console')
  const asking = await newFolder({ 'opsbook.yaml': 'engine: temporal\nconsole: {}\n' })
  const wanted = await opsbook(['console', '--data-dir', 'data'], { folder: asking })
  expect(wanted.stderr).toContain('opsbook.yaml asks for a console: start "opsbook serve --engine temporal"')
  expect(wanted.stderr).not.toContain('with "console: {}"')
})

test('--listen without --read-only is refused', async () => {
  const { code, stderr } = await opsbook(['console', '--listen', '127.0.0.1:0'], {
    folder: await newFolder(),
  })
  expect([code, stderr]).toEqual([
    2,
    expect.stringMatching(/--listen needs --read-only[\s\S]*"console.listen"/),
  ])
})

test.each(['0.0.0.0:0', '[::]:0', '192.0.2.1:8688', 'ops.example.com:8688'])(
  'a console that other machines could reach is refused: %s',
  async (listen) => {
    const folder = await newFolder(configured(listen))
    const refused = expect.stringMatching(/^error: a console at \S+ could be reached by other machines\n/)
    expect(await refusedServing(words, { folder })).toEqual([2, expect.stringMatching(/could be reached by/)])
    const flags = ['console', '--read-only', '--listen', listen, '--data-dir', 'data']
    expect(await opsbook(flags, { folder: await newFolder() })).toMatchObject({ code: 2, stderr: refused })
  },
)

test('a console that other machines can reach needs a log-in and TLS in front: either alone is not enough', async () => {
  const auth = 'auth: { type: proxy, secret: env:SECRET, roles: { viewer: ["*"] } }'
  const url = 'public-url: "https://ops.example.com"'
  const env = { SECRET: 'sesame-secret-of-the-proxy-0123456789' }
  const open = async (more: string) => {
    const folder = await newFolder({ 'opsbook.yaml': `console: { listen: "0.0.0.0:0", ${more} }\n` })
    return { folder, env }
  }
  for (const more of [auth, url]) {
    const refused = await refusedServing(words, await open(more))
    expect([more, ...refused]).toEqual([more, 2, expect.stringContaining('could be reached by other')])
  }
  const there = await open(`${auth}, ${url}`)
  const serving = await startServing(words, there)
  expect(serving.answer()).toContain('console    https://ops.example.com, where its proxy logs people in')
  // The person at the machine comes in without the proxy.
  const { url: own, login } = await addressOf(there)
  expect(own).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
  const cookie = await logIn(own, new URL(login).searchParams.get('code') ?? '')
  expect((await sendRaw(`${own}/api/v1/audit`, { cookie })).status).toBe(200)
  expect(serving.text()).not.toContain(env.SECRET)
})

test('a console whose port is in use ends serve before it accepts an event', async () => {
  const folder = await newFolder(configured('127.0.0.1:0'))
  await startServing(words, { folder })
  const other = await newFolder(configured(new URL((await addressOf({ folder })).url).host))
  const refused = await refusedServing(words, { folder: other })
  expect(refused).toEqual([5, expect.stringMatching(/console\.listen: 127\.0\.0\.1:\d+ is in use/)])
})

test('a socket that a dead serve has left is replaced', async () => {
  const folder = await newFolder(configured('127.0.0.1:0'))
  const first = await startServing(words, { folder })
  await first.stop()
  const left = createServer()
  await new Promise<void>((resolve) => left.listen(join(folder, 'data/console.sock'), resolve))
  left.unref()
  chmodSync(join(folder, 'data/console.sock'), 0o777)
  await startServing(words, { folder })
  expect(statSync(join(folder, 'data/console.sock')).mode & 0o777).toBe(0o600)
  left.close()
})

test('a console that ends before it answers is none', async () => {
  const folder = await newFolder()
  mkdirSync(join(folder, 'data'))
  const ending = createServer((socket) => socket.end())
  await new Promise<void>((resolve) => ending.listen(join(folder, 'data/console.sock'), resolve))
  onTestFinished(() => void ending.close())
  const { code, stderr } = await opsbook(['console', '--data-dir', 'data'], { folder })
  expect([code, stderr]).toEqual([5, expect.stringMatching(/^error: no "opsbook serve" with a console/)])
})

test('a data directory whose path no socket can have is refused, with its length', async () => {
  const folder = await newFolder(configured('127.0.0.1:0'))
  const flags = ['--sandbox', '--data-dir', 'x'.repeat(110)]
  const refused = await refusedServing(flags, { folder })
  expect(refused).toEqual([5, expect.stringMatching(/too long for a console[\s\S]*at most 103/)])
})

const lookUp = `apiVersion: opsbook/v1
name: look-up
steps: [{ id: tools, uses: monit/tools/catalog, with: { target_locator: web-01 } }]
`

test('the calls of a sandbox of serve count against limits that the console shows', async () => {
  const console = await serveConsole({ 'look-up': lookUp })
  await console.start('look-up', {}, 'succeeded')
  const used = { per: expect.any(String), used: 1, limit: expect.any(Number) }
  expect(await console.json('/api/v1/limits')).toMatchObject({
    limits: [{ action: 'monit/tools/catalog', windows: expect.arrayContaining([used]) }],
  })
})

test('beside "serve --sandbox", doctor and the page System do not ask for a connection', async () => {
  const console = await serveConsole({ 'look-up': lookUp })
  const found = {
    name: 'connection',
    status: 'warn',
    message: expect.stringMatching(/^no connection .* is configured: "opsbook serve" uses its sandbox$/),
  }
  for (const document of [await console.document('doctor'), await console.json('/api/v1/system')])
    expect(document).toMatchObject({
      ok: true,
      checks: expect.arrayContaining([expect.objectContaining(found)]),
    })
  // A process of its own finds none.
  await console.serving.stop()
  expect(await console.document('doctor')).toMatchObject({ ok: false })
})
