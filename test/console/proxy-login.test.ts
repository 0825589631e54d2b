/** `serve` with a console behind a proxy that logs people in: as opsbook.yaml says it. */
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { listenOnSocket } from '../../src/cli/console/listen-on-socket.ts'
import { newFolder, opsbook } from '../cli/support/opsbook.ts'
import { sendRaw } from '../security/support/send-raw.ts'
import { refusedServing, startServing } from '../security/support/serve-in-process.ts'
import { addressOf } from './support/serve-console.ts'

const words = ['--sandbox', '--data-dir', 'data']
const secret = 'sesame-secret-of-the-proxy-0123456789'
const roles = 'roles: { operator: [sre], approver: [leads], admin: [ops] }'
const auth = `auth: { type: proxy, secret: env:CONSOLE_PROXY_SECRET, headers: { user: Remote-User, groups: Remote-Groups }, ${roles} }`
const configuration = (more = '') =>
  `console: { listen: "127.0.0.1:0", public-url: "https://ops.example.com", ${auth} }\n${more}`

const socketAuth = 'auth: { type: proxy, roles: { viewer: [sre] } }'
const onSocket = (socket: string, more = '') =>
  `console: { listen: "unix:${socket}", public-url: "https://ops.example.com", ${more} ${socketAuth} }\n`

const ask = `apiVersion: opsbook/v1
name: ask
steps:
  - { id: ok, uses: core/approve, with: { message: Go?, from: { groups: [leads], count: 2, not-starter: true } } }
`

test('people act by the groups that the proxy names, and by those of opsbook.yaml', async () => {
  const folder = await newFolder({
    'opsbook.yaml': configuration('people: { groups: { leads: [bob] } }\n'),
    'runbooks/ask.yaml': ask,
  })
  const env = { CONSOLE_PROXY_SECRET: secret }
  const serving = await startServing(words, { folder, env })
  expect(serving.answer()).toContain('console    https://ops.example.com, ')
  const { url } = await addressOf({ folder, env })
  const as = (user: string, groups: string) => {
    const headers = {
      host: 'ops.example.com',
      'remote-user': user,
      'remote-groups': groups,
      'x-opsbook-proxy-secret': secret,
      'content-type': 'application/json',
      'opsbook-console': '1',
    }
    return async (path: string, document?: object) => {
      const method = document === undefined ? 'GET' : 'POST'
      const { status, text } = await sendRaw(`${url}/api/v1${path}`, headers, {
        method,
        body: document === undefined ? '' : JSON.stringify(document),
      })
      return { status, document: JSON.parse(text) }
    }
  }
  const [sre, eve, ada, bob] = [as('sam', 'sre'), as('eve', ''), as('ada', 'leads'), as('bob', '')]
  expect((await eve('/runs')).document).toMatchObject({
    status: 403,
    code: 'RoleMissing',
    detail: expect.stringContaining('you have none'),
  })
  const planned = await sre('/runbooks/ask/plan', {})
  const started = await sre('/runs', { runbook: 'ask', shown: planned.document.shown })
  const id = started.document.run_id as string
  await expect.poll(async () => (await ada(`/runs/${id}/inbox`)).document.waiting.length).toBe(1)
  const [{ shown }] = (await ada(`/runs/${id}/inbox`)).document.waiting
  const answer = (person: typeof ada) => person(`/runs/${id}/answers`, { step: 'ok', shown, approved: true })
  expect((await answer(sre)).status).toBe(403)
  expect((await answer(ada)).document.answers).toMatchObject([{ count: 1, needed: 2 }])
  const again = (await bob(`/runs/${id}/inbox`)).document.waiting[0].shown
  expect(
    (await bob(`/runs/${id}/answers`, { step: 'ok', shown: again, approved: true })).document.answers,
  ).toMatchObject([{ kind: 'settled', by: { name: 'bob', source: 'console', verified: true } }])
  await serving.stop()
})

// What else cannot stand under "console" is in test/cases/configurations.yaml.
test.each([
  {
    console: `{ auth: { type: proxy, secret: ${secret}, ${roles} } }`,
    said: 'names the place of the secret',
  },
  { console: '{ public-url: "https://ops.example.com:99999" }', said: 'cannot be read' },
  { console: onSocket('1234').replace('console: ', '').trim(), said: '"1234" is no absolute path' },
])('console: $console is refused by serve', async ({ console, said }) => {
  const folder = await newFolder({ 'opsbook.yaml': `console: ${console}\n` })
  const refused = await refusedServing(words, { folder })
  expect(refused).toEqual([2, expect.stringContaining(said)])
  expect(refused[1]).not.toContain(secret)
})

test.each([
  { env: {}, said: 'the environment variable CONSOLE_PROXY_SECRET is not set' },
  { env: { CONSOLE_PROXY_SECRET: 'short' }, said: 'is shorter than 32 characters' },
])('a proxy whose secret cannot be used ends serve: $said', async ({ env, said }) => {
  const folder = await newFolder({ 'opsbook.yaml': configuration() })
  expect(await refusedServing(words, { folder, env })).toEqual([5, expect.stringContaining(said)])
})

/** The status of an answer over a socket, to a request that names ada. */
function askOver(socketPath: string): Promise<number | undefined> {
  const headers = { host: 'ops.example.com', 'x-forwarded-user': 'ada', 'x-forwarded-groups': 'sre' }
  return new Promise((resolve, reject) => {
    get({ socketPath, path: '/api/v1/runs', headers }, (answer) => {
      answer.resume()
      resolve(answer.statusCode)
    }).on('error', reject)
  })
}

test('over a unix socket the proxy needs no secret, and the socket is for its mode alone', async () => {
  const folder = await newFolder()
  const socket = join(folder, 'c.sock')
  writeFileSync(join(folder, 'opsbook.yaml'), onSocket(socket, 'socket-mode: "0660",'))
  const serving = await startServing(words, { folder })
  expect(serving.answer()).toContain('console    https://ops.example.com, where its proxy logs people in')
  expect([await askOver(socket), statSync(socket).mode & 0o777]).toEqual([200, 0o660])
  const { stdout } = await opsbook(['console', '--data-dir', 'data'], { folder })
  expect(stdout).toMatch(/^console of .*\n {2}https:\/\/ops\.example\.com\n {2}its proxy logs people in\n$/)
  // Another serve neither takes the socket away nor starts without it.
  expect(await refusedServing(['--sandbox', '--data-dir', 'other'], { folder })).toEqual([
    5,
    expect.stringContaining(`${socket} is in use by another process`),
  ])
  expect(await askOver(socket)).toBe(200)
  await serving.stop()
  expect(existsSync(socket)).toBe(false)
})

test('a folder that is made while a socket begins to listen can be used', async () => {
  const folder = await newFolder()
  const [socket, made] = [join(folder, 'c.sock'), join(folder, 'made')]
  const server = createServer()
  const listen = async () => {
    mkdirSync(made)
    server.listen(socket)
    await once(server, 'listening')
    expect(statSync(socket).mode & 0o077).toBe(0)
  }
  await listenOnSocket(socket, 0o660, listen)
  server.close()
  expect(statSync(made).mode & 0o700).toBe(0o700)
})

test('a socket that a killed process has left is replaced, and no other file is', async () => {
  const folder = await newFolder()
  const socket = join(folder, 'c.sock')
  writeFileSync(join(folder, 'opsbook.yaml'), onSocket(socket))
  const program = `require("net").createServer().listen(${JSON.stringify(socket)}, () => process.kill(process.pid, "SIGKILL"))`
  spawnSync(process.execPath, ['-e', program])
  expect(existsSync(socket)).toBe(true)
  const serving = await startServing(words, { folder })
  expect([await askOver(socket), statSync(socket).mode & 0o777]).toEqual([200, 0o600])
  await serving.stop()
  writeFileSync(socket, 'mine')
  const refused = await refusedServing(words, { folder })
  expect(refused).toEqual([5, expect.stringContaining('is there, and is no socket')])
  expect(readFileSync(socket, 'utf8')).toBe('mine')
})

test.each([
  { headers: '{ user: X-Login, groups: x-login }', problem: 'user and groups are both in x-login' },
  { headers: '{ groups: X-Forwarded-User }', problem: 'user and groups are both in X-Forwarded-User' },
  { headers: '{ user: Cookie }', problem: 'user cannot be in Cookie' },
  { headers: '{ groups: authorization }', problem: 'groups cannot be in authorization' },
  { headers: '{ user: Opsbook-Console }', problem: 'user cannot be in Opsbook-Console' },
])('headers that mean two things are a mistake: $headers', async ({ headers, problem }) => {
  const wrong = `auth: { type: proxy, secret: env:CONSOLE_PROXY_SECRET, headers: ${headers}, ${roles} }`
  const text = `console: { listen: "127.0.0.1:0", public-url: "https://ops.example.com", ${wrong} }\n`
  const folder = await newFolder({ 'opsbook.yaml': text })
  mkdirSync(join(folder, 'runbooks'))
  writeFileSync(join(folder, 'runbooks/ask.yaml'), ask)
  const env = { CONSOLE_PROXY_SECRET: secret }
  const { code, stderr } = await opsbook(['serve', '--sandbox', '--data-dir', 'data'], { folder, env })
  expect(stderr).toContain(`console.auth.headers cannot be used: ${problem}`)
  expect(code).toBe(5)
})
