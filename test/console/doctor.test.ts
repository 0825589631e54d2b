/** `opsbook doctor` says before `serve` does why a console would not open, or log nobody in. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newFolder, opsbook } from '../cli/support/opsbook.ts'
import { startServing } from '../security/support/serve-in-process.ts'
import { listen } from '../support/listen.ts'
import { clientSecret, startProvider } from './support/oidc.ts'

const roles = 'roles: { viewer: ["*"] }'
const secret = 'sesame-secret-of-the-proxy-0123456789'

/** The checks of the console, as `STATUS NAME: MESSAGE`. */
async function check(console: string, env: Record<string, string> = {}, folder?: string) {
  const there = folder ?? (await newFolder({ 'opsbook.yaml': `console: ${console}\n` }))
  const { stdout } = await opsbook(['doctor', '--data-dir', 'data', '--output', 'json'], {
    folder: there,
    env,
  })
  expect(stdout).not.toMatch(new RegExp(`${secret}|${clientSecret}`))
  const { checks } = JSON.parse(stdout) as {
    checks: readonly Record<'status' | 'name' | 'message', string>[]
  }
  return checks
    .filter(({ name }) => name.startsWith('console'))
    .map(({ status, name, message }) => `${status} ${name}: ${message}`)
}

const free = 'listen: "127.0.0.1:0"'
const url = 'public-url: "https://ops.example.com"'

const ok = 'ok console: 127.0.0.1:0'
const proxy = (more: string) => `auth: { type: proxy, ${more}${roles} }`

const consoles: readonly (readonly [console: string, said: readonly unknown[], key?: string])[] = [
  [`{ ${free} }`, [ok]],
  [
    `{ ${free}, public-url: "https://ops.example.com:99999" }`,
    ['fail console: "console.public-url" is an address that cannot be read'],
  ],
  ['{ listen: "0.0.0.0:8688" }', ['fail console: a console at 0.0.0.0 could be reached by other machines']],
  [
    '{ listen: "127.0.0.1:99999" }',
    [expect.stringContaining('fail console: console.listen takes a host and a port')],
  ],
  [
    `{ listen: "192.0.2.1:8688", ${url}, ${proxy('secret: env:S, ')} }`,
    [
      expect.stringMatching(/^fail console: console\.listen: 192\.0\.2\.1:8688 cannot be used: /),
      'ok console log-in: by a proxy with a secret',
    ],
    secret,
  ],
  [
    `{ ${free}, ${url}, ${proxy('secret: env:S, ')} }`,
    [
      `${ok}, for people https://ops.example.com`,
      'fail console log-in: console.auth.secret cannot be used: the environment variable S is not set',
    ],
    ' ',
  ],
  [
    `{ listen: "unix:/nowhere/console.sock", ${url}, ${proxy('')} }`,
    [
      'fail console: console.listen: /nowhere/console.sock cannot be used: /nowhere is not there',
      'ok console log-in: by a proxy over a unix socket',
    ],
  ],
]

for (const [console, said, key] of consoles)
  test(`console: ${console}`, async () => {
    expect(await check(console, key === undefined ? {} : { S: key })).toEqual(said)
  })

test('the socket of the one-time addresses is none for a console, in doctor and in serve', async () => {
  const folder = await newFolder()
  mkdirSync(join(folder, 'data'))
  const path = join(folder, 'data', 'console.sock')
  writeFileSync(join(folder, 'opsbook.yaml'), `console: { listen: "unix:${path}", ${url}, ${proxy('')} }\n`)
  const said = `console.listen: ${path} is where "opsbook console" gets its one-time addresses`
  expect((await check('', {}, folder))[0]).toBe(`fail console: ${said}`)
  const { code, stderr } = await opsbook(['serve', '--sandbox', '--data-dir', 'data'], { folder })
  expect([code, stderr]).toEqual([2, expect.stringContaining(said)])
})

test('a port that another process has is named, and one that serve has is none', async () => {
  const { port } = new URL(await listen(createServer()))
  const taken = `{ listen: "127.0.0.1:${port}" }`
  expect(await check(taken)).toEqual([
    `fail console: console.listen: 127.0.0.1:${port} is in use by another process`,
  ])
  const served = await newFolder({ 'opsbook.yaml': `console: { ${free} }\n` })
  await startServing(['--sandbox', '--data-dir', 'data'], { folder: served })
  expect(await check('', {}, served)).toEqual(['ok console: serve listens at 127.0.0.1:0'])
})

test('a provider must answer, as the issuer that opsbook.yaml names, and its secret must be there', async () => {
  const provider = await startProvider()
  const { origin, port } = provider.issuer
  const by = (issuer: string) =>
    `{ ${free}, ${url}, auth: { type: oidc, issuer: "${issuer}", client-id: opsbook, client-secret: env:S, ${roles} } }`
  const env = { S: clientSecret }
  const logIn = async (issuer: string, given: Record<string, string> = env) =>
    (await check(by(issuer), given))[1]
  expect(await logIn(origin)).toBe(`ok console log-in: by the provider at 127.0.0.1:${port}`)
  expect(await logIn(origin, {})).toBe(
    'fail console log-in: console.auth.client-secret cannot be used: the environment variable S is not set',
  )
  expect(await logIn(`http://localhost:${port}`)).toMatch(/^fail console log-in: .*localhost:\d+.*issuer/)
  expect(await logIn(`${origin}/realms/other`)).toMatch(/^fail console log-in: /)
  await provider.stop()
  expect(await logIn(origin)).toMatch(/^fail console log-in: .*ECONNREFUSED/)
})
