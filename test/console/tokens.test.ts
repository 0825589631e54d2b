/** Tokens: what programs send to the API in place of a session. They are shown once, and end. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openConsoleDatabase, withReasons } from '../../src/console/store/database.ts'
import { createTokenStore } from '../../src/console/store/token-store.ts'
import { newFolder, opsbook } from '../cli/support/opsbook.ts'
import { sendRaw } from '../security/support/send-raw.ts'
import { addressesOf, openConsole } from './support/open-console.ts'
import { record } from './support/recorded.ts'

async function create(folder: string, ...words: readonly string[]) {
  const made = await opsbook(['tokens', 'create', ...words, '--data-dir', folder, '--output', 'json'], {
    folder,
  })
  expect(made).toMatchObject({ code: 0, stderr: '' })
  return JSON.parse(made.stdout) as { readonly id: string; readonly token: string }
}

test('a program acts with a token as what it is, and answers what names groups where it is verified', async () => {
  const recorded = await record()
  const { ended } = await recorded.asking()
  const console = await openConsole(recorded.dataDir, { folder: recorded.folder, roles: ['admin'] })
  const words = 'deploys --role operator --expires 1h --agent'.split(' ')
  const { token } = await create(recorded.dataDir, ...words)
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const { text } = await sendRaw(`${console.url}/api/v1/runs`, headers)
  const [{ run_id: id }] = JSON.parse(text).runs
  const cancel = `${console.url}/api/v1/runs/${id}/cancel`
  const done = await sendRaw(cancel, headers, { method: 'POST', body: '{"shown":0}' })
  const by = { name: 'deploys', source: 'agent', verified: true }
  expect([done.status, JSON.parse(done.text)]).toEqual([200, { run_id: id, kind: 'cancel', by }])
  await ended
  // It has one role.
  const refused = await sendRaw(`${cancel}-now`, headers, { method: 'POST', body: '{"shown":1}' })
  expect([refused.status, JSON.parse(refused.text)]).toEqual([
    403,
    expect.objectContaining({
      code: 'RoleMissing',
      detail: 'this needs the role admin, and you have operator',
    }),
  ])
  const { audit } = await console.json('/api/v1/audit?who=deploys')
  expect(audit).toMatchObject([
    { by, act: 'cancel-now', outcome: 'refused' },
    { by, act: 'cancel', outcome: 'done' },
  ])
})

test('a token is shown once, and nothing on disk can be used in its place', async () => {
  const folder = await newFolder()
  const { stdout } = await opsbook(
    ['tokens', 'create', 'ada', '--role', 'viewer,approver', '--expires', '30d', '--data-dir', '.'],
    { folder },
  )
  expect(stdout).toMatch(
    /^token [0-9a-f]{12} of ada: viewer, approver, until 20\S+ .*\n {2}opsbook_[\w-]{43}\n {2}it is not shown again/,
  )
  const [token = ''] = /opsbook_\S+/.exec(stdout) ?? []
  const bytes = ['console.db', 'console.db-wal'].map((name) => {
    try {
      return readFileSync(join(folder, name), 'latin1')
    } catch {
      return ''
    }
  })
  expect(bytes.join('')).toContain('ada')
  expect(bytes.join('')).not.toContain(token.slice('opsbook_'.length))
  const { stdout: list } = await opsbook(['tokens', '--data-dir', '.'], { folder })
  expect(list).toMatch(
    /^ID +OF +ROLES +CREATED +ENDS +STATE\n[0-9a-f]{12} +ada \(token\) +viewer,approver .+ valid\n$/,
  )
  expect(list).not.toContain(token)
  const { stdout: audit } = await opsbook(['audit', '--data-dir', '.'], { folder })
  expect(audit).toMatch(/local +tokens create +[0-9a-f]{12} ada +done\n$/)
})

test('a token that is revoked, expired, cut off or unknown opens nothing, and no cookie stands in for it', async () => {
  const folder = await newFolder()
  const console = await openConsole(folder, { roles: ['admin'] })
  const database = openConsoleDatabase(folder)
  onTestFinished(() => database.close())
  const by = { name: 'ada', source: 'token', verified: true } as const
  const past = createTokenStore(database, () => Date.now() - 60_000)
  const expired = past.create({ by, created_by: by, roles: ['admin'], expiresMs: Date.now() - 1 })
  const { id, token } = await create(folder, 'ada', '--role', 'admin', '--expires', '1h')
  const own = (given: string) => ({ authorization: `Bearer ${given}`, 'content-type': 'application/json' })
  expect((await sendRaw(`${console.url}/api/v1/runs`, own(token))).status).toBe(200)
  expect(await opsbook(['tokens', 'revoke', id, '--data-dir', '.'], { folder })).toMatchObject({ code: 0 })
  const { stdout } = await opsbook(['tokens', 'list', '--data-dir', '.'], { folder })
  expect(stdout).toMatch(/ revoked\n.* expired\n$/)
  const bad = [token, expired.token, token.slice(0, -1), 'opsbook_', `opsbook_${'A'.repeat(43)}`]
  for (const { method, path } of addressesOf(console))
    for (const given of bad) {
      const headers = { ...own(given), cookie: console.cookie, 'opsbook-console': '1', origin: console.url }
      const { status, text } = await sendRaw(console.url + path, headers, {
        method,
        body: method === 'GET' ? '' : '{}',
      })
      expect([path, status, JSON.parse(text).code]).toEqual([path, 401, 'TokenRefused'])
    }
})

test('a token is for the API: no page takes it, and no form', async () => {
  const folder = await newFolder()
  const console = await openConsole(folder, { roles: ['admin'] })
  const { token } = await create(folder, 'ada', '--role', 'admin', '--expires', '1h')
  const authorization = `Bearer ${token}`
  for (const { method, path } of addressesOf(console)) {
    if (path.startsWith('/api/')) continue
    const { status } = await sendRaw(console.url + path, { authorization }, { method })
    expect([method, path, status]).toEqual([method, path, 401])
  }
  const form = { authorization, 'content-type': 'application/x-www-form-urlencoded' }
  const sent = { method: 'POST', body: 'shown=0&csrf=' }
  expect((await sendRaw(`${console.url}/api/v1/runs/x/cancel`, form, sent)).status).toBe(415)
  // Another page cannot use one, whatever it knows.
  const foreign = { authorization, 'content-type': 'application/json', origin: 'http://evil.example' }
  expect((await sendRaw(`${console.url}/api/v1/runs`, foreign)).status).toBe(403)
})

test('a console to read takes no tokens', async () => {
  const folder = await newFolder()
  const { token } = await create(folder, 'ada', '--role', 'admin', '--expires', '1h')
  const { url } = await openConsole(folder)
  expect((await sendRaw(`${url}/api/v1/runs`, { authorization: `Bearer ${token}` })).status).toBe(401)
})

test.each([
  ['ada --role viewer', "required option '--expires <when>' not specified"],
  ['ada --expires 1h', "required option '--role <role>' not specified"],
  ['bot --role operator,approver --expires 1h --agent', 'a program has no role approver'],
  ['bot --role admin --expires 1h --agent', 'a program has no role admin'],
  ['ada --role root --expires 1h', 'there is no role "root"'],
  ['ada --role viewer --expires 2020-01-01', '--expires is in the past'],
  ['ada --role viewer --expires never', '--expires takes'],
  ['ada --role viewer --expires 999999999d', '--expires takes 2h, 7d'],
  ['\t --role viewer --expires 1h', 'the name of a token has 1 to 200 characters'],
])('tokens create %s is refused', async (line, said) => {
  const folder = await newFolder()
  const words = ['tokens', 'create', ...line.split(' '), '--data-dir', '.']
  const { code, stdout, stderr } = await opsbook(words, { folder })
  expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(said)])
})

test('what names no token is refused, and a list makes nothing', async () => {
  const folder = await newFolder()
  expect(await opsbook(['tokens', '--data-dir', 'none'], { folder })).toMatchObject({ stdout: 'no tokens\n' })
  const { code, stderr } = await opsbook(['tokens', 'revoke', 'x', '--data-dir', '.'], { folder })
  expect([code, stderr]).toEqual([2, expect.stringContaining('there is no token "x"')])
})

test('a full disk is said as such, with what to do', async () => {
  const folder = await newFolder()
  const database = openConsoleDatabase(folder)
  onTestFinished(() => database.close())
  // SQLite refuses to grow the file as it does where the disk is full.
  database.exec('PRAGMA max_page_count = 1')
  const tokens = withReasons(createTokenStore(database), folder)
  const by = { name: 'x'.repeat(5000), source: 'token', verified: true } as const
  const fill = () => {
    for (let count = 0; count < 100; count++)
      tokens.create({ by, roles: ['viewer'], created_by: by, expiresMs: Date.now() + 1000 })
  }
  expect(fill).toThrow(
    expect.objectContaining({
      code: 'DataDirUnusable',
      message: `cannot use ${join(folder, 'console.db')}: the disk is full`,
    }),
  )
})
