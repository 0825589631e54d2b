import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { checkNode } from '../../src/cli/doctor/check-machine.ts'
import { limitsSchema } from '../../src/engine/embedded/limits/schema.ts'
import { newFolder, opsbook } from './support/opsbook.ts'
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
    'proxies',
    'data directory',
    'database',
    'http',
    'connection',
    'service',
    'app key',
    'clock',
  ]
  expect(Object.keys(checks)).toEqual(names)
  const { stdout } = await opsbook(['doctor', '--sandbox'])
  expect(stdout).toMatch(/^ok {2}node {12}\d+\./)
  expect(stdout).toMatch(/\nall checks passed\n$/)
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
    hints: [expect.stringContaining('create a new one')],
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
  [30_000, 'warn', / behind the service/],
  [-30_000, 'warn', / ahead of the service/],
  // The request takes time, and more on a busy machine.
  [600_000, 'fail', /^this machine is \d+m \d\ds behind the service/],
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
  expect(checks['clock']).toMatchObject({ status, message: expect.stringMatching(said) })
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
      /^HTTP_PROXY=(http:\/\/\*\*\*@proxy:1|\(not a URL, so not shown\))$/,
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

test.each([
  {
    name: 'damaged',
    harm: (file: string) => writeFileSync(file, Buffer.alloc(20_000, 7)),
    message: /limits\.db: it is damaged/,
  },
  {
    name: 'of another version',
    harm: (file: string) => inFile(file, 'PRAGMA user_version = 99'),
    message: /limits\.db: it was written by another version of Opsbook/,
  },
  {
    name: 'damaged in one page',
    harm: (file: string) => writeFileSync(file, readFileSync(file).fill(0, 8192, 12_288)),
    message: /limits\.db: it is damaged/,
  },
])('a file of the rate limits that is $name', async ({ harm, message }) => {
  const service = await startService()
  const folder = await newFolder()
  const file = join(folder, 'limits.db')
  inFile(file, `PRAGMA journal_mode = WAL; ${limitsSchema}`)
  const words = ['--data-dir', folder]
  expect((await doctor(service.env(), words)).checks['rate limits']).toMatchObject({ status: 'ok' })
  harm(file)
  const before = readFileSync(file)
  const { code, checks } = await doctor(service.env(), words)
  expect(code).toBe(5)
  expect(checks['rate limits']).toMatchObject({ status: 'fail', message: expect.stringMatching(message) })
  // Looked at only: whoever uses it next decides what becomes of it.
  expect(readFileSync(file).equals(before)).toBe(true)
})

test('a file of the rate limits that somebody keeps locked', async () => {
  const folder = await newFolder()
  const file = join(folder, 'limits.db')
  inFile(file, 'CREATE TABLE any (x)')
  const other = new DatabaseSync(file)
  onTestFinished(() => other.close())
  other.exec('BEGIN IMMEDIATE')
  const { checks } = await doctor({}, ['--sandbox', '--data-dir', folder])
  expect(checks['rate limits']).toMatchObject({ status: 'fail', message: expect.stringContaining('locked') })
})

function inFile(file: string, sql: string): void {
  const database = new DatabaseSync(file)
  database.exec(sql)
  database.close()
}
