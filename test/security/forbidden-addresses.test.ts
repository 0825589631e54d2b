/** The content of a webhook decides where `core/http` sends a request: to this machine, or to the metadata of a cloud. */
import { createServer } from 'node:net'
import { type Action, createActions, type HttpRules, RunbookError } from 'opsbook'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createAddressRules } from '../../src/actions/http/address-rules.ts'
import { contextWith } from '../actions/context-with.ts'
import { startStandIn } from '../api/stand-in.ts'
import { newFolder, opsbook } from '../cli/support/opsbook.ts'

beforeEach(() => {
  for (const name of ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY', 'no_proxy', 'NO_PROXY'])
    vi.stubEnv(name, undefined)
  onTestFinished(() => void vi.unstubAllEnvs())
})

const httpWith = (rules: HttpRules): Action =>
  createActions([], { http: rules }).find(({ name }) => name === 'core/http') as Action

const isRefused = (rules: HttpRules, url: string): boolean =>
  httpWith(rules)
    .checkInput({ url })
    .some(({ path }) => path === 'url')

describe('deny-private refuses what is written as an address', () => {
  const hosts = `
    127.0.0.1/ 2130706433/ 0x7f.1/ 0/ 169.254.169.254/latest/meta-data/ 168.63.129.16/ 10.1.2.3/ 172.31.0.1/
    192.168.1.1:8080/ 100.64.0.1/ 224.0.0.1/ 255.255.255.255/ [::]/ [::1]/ [::ffff:127.0.0.1]/
    [::127.0.0.1]/ [64:ff9b::7f00:1]/ [2002:7f00:1::]/ [fd00::1]/ [fe80::1]/ [fec0::1]/`
  it.each(
    hosts
      .trim()
      .split(/\s+/)
      .map((host) => `http://${host}`),
  )('%s', (url) => {
    expect([isRefused({ denyPrivate: true }, url), isRefused({}, url)]).toEqual([true, false])
  })

  it.each(['http://93.184.216.34/', 'http://172.32.0.1/', 'http://[2606:4700::1]/', 'http://a.example.com/'])(
    'but not %s',
    (url) => {
      expect(isRefused({ denyPrivate: true }, url)).toBe(false)
    },
  )
})

describe('allow', () => {
  const allow = ['hooks.example.com', '*.ours.example.com', '10.1.0.0/16', 'fd00::/8', '192.168.7.7']
  const names = allow.slice(0, 2)

  it.each([
    ['http://hooks.example.com/', false],
    ['http://HOOKS.example.com.:81/', false],
    ['http://a.b.ours.example.com/', false],
    ['http://10.1.255.1/', false],
    ['http://[fd12::1]/', false],
    ['http://192.168.7.7/', false],
    ['http://192.168.7.8/', true],
    ['http://10.2.0.1/', true],
    ['http://93.184.216.34/', true],
    ['http://127.0.0.1/', true],
  ])('%s is refused: %s', (url, refused) => {
    expect(isRefused({ allow, denyPrivate: true }, url)).toBe(refused)
  })

  it.each([
    'http://ours.example.com/',
    'http://xours.example.com/',
    'http://hooks.example.com.evil.example/',
    'http://evil.example/',
  ])('names that only look alike are refused: %s', (url) => {
    expect(isRefused({ allow: names }, url)).toBe(true)
    // Where networks are allowed, the address of the name decides.
    expect(isRefused({ allow }, url)).toBe(false)
  })

  it('an empty list allows nothing', () => {
    expect(isRefused({ allow: [] }, 'http://hooks.example.com/')).toBe(true)
  })
})

describe('a name that leads to this machine', () => {
  async function callLocalhost(rules: HttpRules) {
    let connections = 0
    const server = createServer((socket) => {
      connections++
      socket.end('HTTP/1.1 204 No Content\r\n\r\n')
    })
    await new Promise<void>((resolve) => void server.listen(0, 'localhost', resolve))
    onTestFinished(() => void server.close())
    const { port } = server.address() as { readonly port: number }
    const answer = await httpWith(rules)
      .run({ url: `http://localhost:${port}/` }, contextWith())
      .catch((thrown: unknown) => thrown)
    return { code: RunbookError.is(answer) ? answer.code : 'answered', answer, connections }
  }

  it.each([
    { rules: { denyPrivate: true } },
    { rules: { denyPrivate: true, allow: ['localhost'] } },
    { rules: { allow: ['10.0.0.0/8'] } },
  ])(
    'is refused by the address that it leads to, before anything is connected: $rules',
    async ({ rules }) => {
      const { code, answer, connections } = await callLocalhost(rules)
      expect([code, connections]).toEqual(['AddressNotAllowed', 0])
      expect(answer).toMatchObject({
        notSent: true,
        message: expect.stringMatching(
          /^localhost \(.*(127\.0\.0\.1|::1).*\) is not allowed by "http" of opsbook/,
        ),
      })
    },
  )

  it.each([
    { rules: {} },
    { rules: { allow: ['localhost'] } },
    { rules: { denyPrivate: true, allow: ['127.0.0.0/8', '::1'] } },
  ])('is reached where the rules allow it: $rules', async ({ rules }) => {
    expect(await callLocalhost(rules)).toMatchObject({ code: 'answered', connections: 1 })
  })

  it('of several addresses those that are allowed are connected to', async () => {
    const { lookup } = createAddressRules({ allow: ['127.0.0.0/8'] })
    const found = await new Promise((resolve, reject) =>
      lookup?.('localhost', { all: true }, (error, addresses) =>
        error ? reject(error) : resolve(addresses),
      ),
    )
    expect(found).toEqual([{ address: '127.0.0.1', family: 4 }])
  })
})

it('a redirect to a private address is not followed', async () => {
  const server = await startStandIn((_, response) => {
    response.writeHead(302, { location: 'http://169.254.169.254/' }).end()
  })
  const call = httpWith({ allow: ['127.0.0.1'], denyPrivate: true }).run(
    { url: server.baseUrl },
    contextWith(),
  )
  await expect(call).rejects.toMatchObject({ code: 'RedirectRefused' })
})

it('behind a proxy, which resolves names itself, only names of the list are reached', () => {
  vi.stubEnv('HTTPS_PROXY', 'http://127.0.0.1:3128')
  const url = 'https://a.example.com/'
  expect(isRefused({ denyPrivate: true }, url)).toBe(true)
  expect(isRefused({ denyPrivate: true, allow: ['a.example.com'] }, url)).toBe(false)
  expect(isRefused({ allow: ['10.0.0.0/8'] }, url)).toBe(true)
  expect(isRefused({}, url)).toBe(false)
})

describe('opsbook.yaml', () => {
  const runbook = (url: string): string => `apiVersion: opsbook/v1
name: call
inputs: { properties: { host: { type: string, default: localhost } } }
steps: [{ id: call, uses: core/http, with: { url: "${url}" } }]
`
  const rules = 'http: { allow: [hooks.example.com, 10.0.0.0/8], deny-private: true }\n'

  it('a run is refused by it', async () => {
    const server = await startStandIn(() => 'reached')
    const url = server.baseUrl.replace('127.0.0.1', '${{ inputs.host }}')
    const folder = await newFolder({ 'call.yaml': runbook(url), 'opsbook.yaml': rules })
    const run = async (host: string) => {
      const flags = ['--sandbox', '--allow-outside', '--output', 'json', '--data-dir', 'data']
      const words = ['run', 'call.yaml', '--input', `host=${host}`, ...flags]
      const { code, stdout, stderr } = await opsbook(words, { folder })
      return `${code} ${stdout} ${stderr}`
    }
    expect(await run('localhost')).toMatch(/^1 .*"AddressNotAllowed"/s)
    expect(await run('127.0.0.1')).toMatch(/^2 .*127\.0\.0\.1 is not allowed by "http" of opsbook\.yaml/s)
    expect(server.received).toEqual([])
  })

  it('plan shows it', async () => {
    const folder = await newFolder({
      'call.yaml': runbook('https://hooks.example.com/'),
      'opsbook.yaml': rules,
    })
    const words = 'hooks.example.com, 10.0.0.0/8; private addresses are denied'
    const plan = await opsbook(['plan', 'call.yaml'], { folder })
    expect(plan.stdout).toMatch(new RegExp(`HTTP to +${words}`))
    const { stdout } = await opsbook(['plan', 'call.yaml', '--output', 'json'], { folder })
    expect(JSON.parse(stdout).http).toEqual({
      allow: ['hooks.example.com', '10.0.0.0/8'],
      deny_private: true,
    })
  })
})
