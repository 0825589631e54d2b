/** A web page in the browser of a person who runs Opsbook sends requests to the ports of their machine. */
import { startSandbox } from 'opsbook/sandbox'
import { describe, expect, it, onTestFinished } from 'vitest'
import { serveHealth } from '../../src/cli/worker/serve-health.ts'
import { newFolder, opsbook } from '../cli/support/opsbook.ts'
import { serveHooks } from '../triggers/server/serve-hooks.ts'
import { sendRaw } from './support/send-raw.ts'
import { startServing } from './support/serve-in-process.ts'

const json = { 'content-type': 'application/json' }
const open = { name: 'open', event: 'incident' } as const

/** What a page sends, and what it is answered with. */
const pages = [
  { about: 'its own name resolves to this machine', headers: { host: 'evil.example' }, status: 421 },
  { about: 'the same with a port', headers: { host: 'evil.example:8687' }, status: 421 },
  { about: 'a name that looks like an address', headers: { host: '127.0.0.1.evil.example' }, status: 421 },
  { about: 'a page of another origin', headers: { origin: 'http://evil.example' }, status: 403 },
  { about: 'a page from a file or a sandboxed frame', headers: { origin: 'null' }, status: 403 },
  { about: 'a page of another port', headers: { origin: 'http://127.0.0.1:1' }, status: 403 },
]

describe('serve', () => {
  it.each(pages)('$about', async ({ headers, status }) => {
    const served = await serveHooks([open])
    const post = { method: 'POST', body: '{}' }
    const given = { ...json, 'webhook-id': 'a', ...headers }
    const delivered = await sendRaw(`${served.url}/hooks/open`, given, post)
    expect(delivered.status).toBe(status)
    expect(served.evaluations).toEqual([])
    // The log says why a sender that uses another name is refused.
    expect(served.answers).toMatchObject([{ status, reason: expect.stringMatching(/host name|web pages/) }])
    for (const path of ['/healthz', '/readyz', '/metrics', '/elsewhere'])
      expect([path, (await sendRaw(served.url + path, headers)).status]).toEqual([path, status])
  })

  it.each([
    '127.0.0.1',
    'localhost:1',
    '[::1]:8687',
    '10.1.2.3',
    'Hooks.Example.com',
    'hooks.example.com:443',
  ])('a sender that names it %s is heard', async (host) => {
    const served = await serveHooks([open], { hostNames: ['hooks.example.com'] })
    const headers = { ...json, 'webhook-id': 'a', host }
    const { status } = await sendRaw(`${served.url}/hooks/open`, headers, { method: 'POST', body: '{}' })
    expect([status, served.evaluations.length]).toEqual([200, 1])
  })

  it('takes the names of --allow-host', async () => {
    const { url } = await startServing(['--sandbox', '--allow-host', 'one.example', 'two.example'], {
      folder: await newFolder(),
    })
    const status = async (host: string) => (await sendRaw(`${url}/healthz`, { host })).status
    expect(await Promise.all(['two.example', 'three.example'].map(status))).toEqual([200, 421])
  })
})

describe('the sandbox', () => {
  const attacks = pages.flatMap((page) => [
    { ...page, path: '/_sandbox/config', body: '{"webhook_url":"http://127.0.0.1:1/internal"}' },
    { ...page, path: '/_sandbox/reset', body: '' },
    { ...page, path: '/rum/application/create?app_key=sandbox-owner', body: '{}' },
  ])

  it.each(attacks)('$path, $about', async ({ path, body, headers, status }) => {
    const { url, read } = await sandbox()
    const before = await read()
    const { status: answered } = await sendRaw(url + path, { ...json, ...headers }, { method: 'POST', body })
    expect(answered).toBe(status)
    expect(await read()).toEqual(before)
  })

  it.each(['text/plain', 'application/x-www-form-urlencoded', undefined])(
    'a control request that needs no permission of this address: content type %s',
    async (type) => {
      const { url, read } = await sandbox()
      const before = await read()
      const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type }
      for (const [path, body] of [
        ['config', '{"webhook_url":"http://127.0.0.1:1/"}'],
        ['reset', ''],
        ['incidents', '{"retries":0}'],
      ] as const)
        expect((await sendRaw(`${url}/_sandbox/${path}`, headers, { method: 'POST', body })).status).toBe(415)
      expect(await read()).toEqual(before)
    },
  )
})

it.each([
  { host: '0.0.0.0', isLoud: true },
  { host: '127.0.0.1', isLoud: false },
])('a sandbox on $host says so: $isLoud', async ({ host, isLoud }) => {
  const ended = await opsbook(['sandbox', '--port', '0', '--host', host], {
    onWrite: (text, command) => {
      if (text.includes('The sandbox is running')) command.signal('SIGTERM')
    },
  })
  expect(ended.code).toBe(0)
  expect(ended.stderr.includes(`warning: the sandbox listens on ${host}, port`)).toBe(isLoud)
})

/** A sandbox, and a look at what a page could have changed. */
async function sandbox(): Promise<{ readonly url: string; readonly read: () => Promise<unknown> }> {
  const { url, close } = await startSandbox()
  onTestFinished(close)
  const read = async (path: string): Promise<unknown> => (await fetch(`${url}/_sandbox/${path}`)).json()
  return { url, read: () => Promise.all([read('config'), read('audit'), read('requests')]) }
}

describe('the health of a worker', () => {
  it.each(pages)('$about', async ({ headers, status }) => {
    const health = await serveHealth({ isReady: async () => true }, 0, '127.0.0.1')
    onTestFinished(() => health.close())
    const statusOf = async (more: Readonly<Record<string, string>>) =>
      (await sendRaw(`http://127.0.0.1:${health.port}/healthz`, more)).status
    expect([await statusOf(headers), await statusOf({})]).toEqual([status, 200])
  })

  it('takes the names that it is given', async () => {
    const source = { isReady: async () => true, hostNames: ['Worker.example'] }
    const health = await serveHealth(source, 0, '127.0.0.1')
    onTestFinished(() => health.close())
    const { status } = await sendRaw(`http://127.0.0.1:${health.port}/readyz`, {
      host: 'worker.example:8080',
    })
    expect(status).toBe(200)
  })
})
