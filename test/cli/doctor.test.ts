import { expect, onTestFinished, test, vi } from 'vitest'
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
  const names = ['configuration', 'data directory', 'database', 'connection', 'service', 'app key']
  expect(Object.keys(checks)).toEqual(names)
  const { stdout } = await opsbook(['doctor', '--sandbox'])
  expect(stdout).toMatch(/^ok {2}configuration {3}no opsbook\.yaml/)
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

test('a proxy that cannot be used fails the connection, and its credentials are not shown', async () => {
  onTestFinished(() => void vi.unstubAllEnvs())
  for (const value of [
    'proxy',
    'http://me:canary/4@proxy:1',
    'http://me/canary@4@proxy:1',
    'http://me:canary@4/x@proxy:1',
    'me:canary@proxy:3128',
    'http:me:canary@proxy:3128',
  ]) {
    // Of the process: the client reads it there.
    vi.stubEnv('HTTP_PROXY', value)
    const { code, said, checks } = await doctor({
      OPSBOOK_BASE_URL: 'http://api.invalid',
      OPSBOOK_APP_KEY: 'k',
    })
    expect(code).toBe(5)
    const failed = Object.values(checks).filter(({ status }) => status === 'fail')
    expect(failed).toMatchObject([{ message: expect.stringMatching(/HTTP_PROXY|http:\/\/api\.invalid/) }])
    expect(said).not.toContain('canary')
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
