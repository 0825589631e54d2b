import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { checkNode } from '../../src/cli/doctor/check-machine.ts'
import { opsbook } from './support/opsbook.ts'
import { startService } from './support/service.ts'

interface Check {
  readonly name: string
  readonly status: string
  readonly message: string
  readonly hints?: readonly string[]
}

async function doctor(
  env: Readonly<Record<string, string>>,
  words: readonly string[] = [],
): Promise<{ code: number; ok: boolean; said: string; checks: Readonly<Record<string, Check>> }> {
  const { code, stdout, stderr } = await opsbook(['doctor', '--output', 'json', ...words], { env })
  const { ok, checks } = JSON.parse(stdout) as { ok: boolean; checks: readonly Check[] }
  return {
    code,
    ok,
    said: stdout + stderr,
    checks: Object.fromEntries(checks.map((check) => [check.name, check])),
  }
}

test('all well', async () => {
  const { code, ok, checks } = await doctor({}, ['--sandbox'])
  expect({ code, ok }).toEqual({ code: 0, ok: true })
  const names = [
    'node',
    'configuration',
    'data directory',
    'database',
    'proxies',
    'connection',
    'service',
    'app key',
    'clock',
  ]
  expect(Object.keys(checks)).toEqual(names)
  const { stdout } = await opsbook(['doctor', '--sandbox'])
  expect(stdout).toMatch(/^ok {2}node {12}\d+\./)
  expect(stdout).toMatch(/\nall well\n$/)
})

test('of the operations it only calls the look-up of an application that does not exist', async () => {
  const service = await startService()
  await doctor(service.env())
  expect((await service.calls()).filter((operation) => operation !== null)).toEqual(['E3'])
})

test('a key that nobody knows', async () => {
  const service = await startService()
  const { code, said, checks } = await doctor(service.env('canary-77'))
  expect(code).toBe(5)
  expect(checks['service']).toMatchObject({ status: 'ok' })
  expect(checks['app key']).toMatchObject({
    status: 'fail',
    hints: [expect.stringContaining('make a new one')],
  })
  expect(said).not.toContain('canary')
})

test('a service that refuses the look-up for another reason knows the key', async () => {
  const service = await startService()
  await service.fault({ operation: 'E3', error: 'AccessDenied' })
  const { code, checks } = await doctor(service.env())
  expect(code).toBe(0)
  expect(checks['app key']).toMatchObject({
    status: 'warn',
    message: expect.stringContaining('AccessDenied'),
  })
})

test('a proxy that answers HTML', async () => {
  const service = await startService()
  await service.fault({ operation: '*', html: 502 })
  const { code, checks } = await doctor(service.env())
  expect(code).toBe(5)
  expect(checks['service']).toMatchObject({
    status: 'fail',
    message: expect.stringContaining('ForeignAnswer'),
  })
  expect(checks['app key']).toBeUndefined()
})

test.each([
  [30_000, 'warn', 'behind'],
  [-30_000, 'warn', 'ahead of'],
  [600_000, 'fail', '10m 00s behind'],
] as const)('a service whose clock is %d ms away', async (awayMs, status, said) => {
  const server = createServer((_, answer) => {
    answer.setHeader('date', new Date(Date.now() + awayMs).toUTCString())
    answer.setHeader('content-type', 'application/json')
    answer.end('{"request_id":"r","data":{"items":[]}}')
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  onTestFinished(() => {
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { checks } = await doctor({ OPSBOOK_BASE_URL: url, OPSBOOK_APP_KEY: 'k' })
  expect(checks['clock']).toMatchObject({ status, message: expect.stringContaining(said) })
})

test('proxies are shown without their credentials', async () => {
  const env = { HTTPS_PROXY: 'http://me:canary-3@proxy:3128', NO_PROXY: 'localhost' }
  const { said, checks } = await doctor(env)
  expect(checks['proxies']).toMatchObject({
    status: 'ok',
    message: 'HTTPS_PROXY=http://***@proxy:3128, NO_PROXY=localhost',
  })
  expect(said).not.toContain('canary')
  expect((await doctor({ HTTP_PROXY: 'proxy' })).checks['proxies']).toMatchObject({ status: 'fail' })
  for (const value of [
    'http://me:canary/4@proxy:1',
    'http://me/canary@4@proxy:1',
    'http://me:canary@4/x@proxy:1',
    'me:canary@proxy:3128',
    'http:me:canary@proxy:3128',
  ]) {
    const { checks } = await doctor({ HTTP_PROXY: value })
    expect(checks['proxies']?.message).toMatch(
      /^HTTP_PROXY=(http:\/\/\*\*\*@proxy:1|\(no address, so not shown\))$/,
    )
  }
})

test('a data directory that cannot be used', async () => {
  const { code, checks } = await doctor({}, ['--data-dir', '/proc/opsbook', '--sandbox'])
  expect(code).toBe(5)
  expect(checks['data directory']).toMatchObject({
    status: 'fail',
    message: expect.stringContaining('/proc/opsbook'),
  })
  expect(checks['service']).toMatchObject({ status: 'ok' })
})

test.each([
  ['20.19.0', 'ok'],
  ['20.18.3', 'fail'],
  ['18.20.0', 'fail'],
  ['22.1.0', 'ok'],
])('node %s: %s', (version, status) => {
  expect(checkNode(version)).toMatchObject({ status })
})
