/** Who did what through the console: every act and every refused act is a row, and no row holds what a person typed. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createAuditLog } from '../../src/console/store/audit-log.ts'
import { openConsoleDatabase } from '../../src/console/store/database.ts'
import { type ActOutcome, openConsoleStore } from '../../src/console/store/index.ts'
import type { AuditRow } from '../../src/documents/index.ts'
import { newFolder, opsbook } from '../cli/support/opsbook.ts'
import { sendRaw } from '../security/support/send-raw.ts'
import { addressesOf, logIn, type OpenConsole, openConsole } from './support/open-console.ts'
import { record } from './support/recorded.ts'

const own = { 'content-type': 'application/json', 'opsbook-console': '1' }
const by = { name: 'ada', source: 'console', verified: true } as const

async function audit(console: OpenConsole, query = ''): Promise<readonly AuditRow[]> {
  return (await console.json(`/api/v1/audit${query}`)).audit
}

test('acts are rows with who, from where, what was shown and what came of it', async () => {
  const recorded = await record()
  const { ended } = await recorded.asking()
  const console = await openConsole(recorded.dataDir, { folder: recorded.folder, roles: ['admin'] })
  const { waiting } = await console.json('/api/v1/inbox')
  const { run_id, step, shown } = waiting.find(({ step }: { readonly step: string }) => step === 'hosts/ok')
  const answers = `/api/v1/runs/${run_id}/answers`
  const sent = { step, shown, approved: true, comment: 'canary-comment' }
  expect((await console.post(answers, sent)).status).toBe(200)
  expect((await console.post(answers, sent)).status).toBe(409)
  expect((await console.send(`/runs/${run_id}/cancel-now`, { shown: '0' })).status).toBe(303)
  expect((await console.send(`/runs/${run_id}/cancel-now`, { shown: '0' })).status).toBe(409)
  await ended
  const about = { by, address: '127.0.0.1', subject: { run: run_id } }
  const cancel = { ...about, act: 'cancel-now', route: 'POST /runs/:id/cancel-now', shown: '0' }
  const answer = { ...about, act: 'answers', route: 'POST /api/v1/runs/:id/answers', shown }
  const refused = { outcome: 'refused', status: 409, code: 'InvalidInput' }
  const rows = await audit(console)
  expect(rows.map(({ id: _, at: __, ...row }) => row)).toEqual([
    { ...cancel, ...refused },
    { ...cancel, outcome: 'done', status: 303 },
    { ...answer, ...refused },
    { ...answer, outcome: 'done', status: 200 },
    { ...about, act: 'login', route: 'POST /login', subject: {}, outcome: 'done', status: 303 },
  ])
  // The pages go on by the id.
  const { next } = await console.json('/api/v1/audit?limit=2')
  expect(await audit(console, `?after=${next}`)).toEqual(rows.slice(2))
  expect(await audit(console, '?refused=true')).toEqual(rows.filter(({ outcome }) => outcome === 'refused'))
  expect(await audit(console, '?until=1h')).toEqual([])
  // The command lists the same.
  expect(await recorded.document('audit', '--limit', '5')).toEqual({ audit: rows })
  const { stdout } = await recorded.command('audit', '--who', 'ada', '--refused', '--since', '1h')
  expect(stdout).toMatch(
    /^TIME +WHO +FROM +ACT +ON +SHOWN +OUTCOME\n\S+ \S+ +ada \(console\) +127\.0\.0\.1 +cancel-now +run_\S+ +0 +refused \(InvalidInput\)\n.+\n$/,
  )
  const files = readdirSync(recorded.dataDir).filter((name) => name.startsWith('console.db'))
  expect(files).toContain('console.db')
  for (const name of files) {
    const bytes = readFileSync(join(recorded.dataDir, name)).toString('latin1')
    for (const secret of ['canary-comment', console.cookie.split('=')[1] ?? ''])
      expect([name, secret, bytes.includes(secret)]).toEqual([name, secret, false])
  }
})

test('every act that is refused is a row, with the reason', async () => {
  const folder = await newFolder()
  const console = await openConsole(folder, { roles: ['admin'] })
  const viewer = await logIn(
    console.url,
    console.issueCode({ by: { ...by, name: 'eve' }, roles: ['viewer'] }),
  )
  const foreign = { ...own, cookie: console.cookie, origin: 'http://evil.example' }
  const acts = addressesOf(console).filter(({ method }) => method !== 'GET')
  expect(acts.length).toBeGreaterThan(10)
  const attempts: readonly (readonly [
    headers: Record<string, string>,
    name: string | undefined,
    code: string,
  ])[] = [
    [own, undefined, 'LoginRequired'],
    [{ ...own, host: 'evil.example' }, undefined, 'WrongHost'],
    [{ ...own, cookie: viewer }, 'eve', 'RoleMissing'],
    [foreign, 'ada', 'ForeignPage'],
  ]
  for (const { method, path, access } of acts)
    for (const [headers, name, code] of attempts) {
      if (access === 'anyone' || (access === 'viewer' && name === 'eve')) continue
      await sendRaw(console.url + path, headers, { method, body: '{"shown":"x y","value":"canary"}' })
      const [row] = await audit(console)
      expect(row).toMatchObject({ outcome: 'refused', code, address: '127.0.0.1' })
      expect([path, row?.by?.name, row?.shown]).toEqual([path, name, undefined])
      expect(row?.route.split(' ')[0]).toBe(method)
    }
  await logIn(console.url, 'canary-code')
  expect((await audit(console))[0]).toMatchObject({ act: 'login', outcome: 'refused', code: 'CodeNotValid' })
  expect(JSON.stringify(await audit(console, '?limit=1000'))).not.toContain('canary')
  expect(console.defects).toEqual([])
})

test('an act that cannot be recorded is not done', async () => {
  const recorded = await record()
  const { ended } = await recorded.asking()
  const store = openConsoleStore(recorded.dataDir)
  const console = await openConsole(recorded.dataDir, { roles: ['admin'], audit: store.audit })
  store.close()
  const { runs } = await console.json('/api/v1/runs')
  const path = `/api/v1/runs/${runs[0]?.run_id}/cancel`
  const refused = await console.post(path, { shown: 0 })
  expect([refused.status, JSON.parse(refused.text).detail]).toEqual([
    503,
    'nothing was done: the audit cannot be written',
  ])
  const run = await console.json(`/api/v1/runs/${runs[0]?.run_id}`)
  expect(run.control_requests).toEqual([])
  await recorded.command('cancel', runs[0]?.run_id ?? '', '--now')
  await ended
})

test.each([
  { of: 'nobody', by: undefined, other: { name: 'ada', source: 'console' } as const },
  { of: 'somebody without the role', by: { name: 'ada', source: 'console' } as const, other: undefined },
])('refused requests of $of cannot fill the disk', async ({ by, other }) => {
  const database = openConsoleDatabase(await newFolder())
  onTestFinished(() => database.close())
  database.exec('PRAGMA synchronous = OFF')
  let now = 0
  const log = createAuditLog(database, () => now, 20)
  const act = { address: '192.0.2.1', act: 'cancel', route: 'POST /x', subject: {} }
  const refused = { outcome: 'refused', status: 401, code: 'LoginRequired' } as const
  const add = (whose: typeof by, outcome: ActOutcome = refused) =>
    log.add({ ...act, ...(whose === undefined ? {} : { by: whose }) }, outcome)
  add(other)
  add(by, { outcome: 'done', status: 200 })
  for (let times = 0; times < 100; times++) add(by)
  expect(log.list({ limit: 10 }).map(({ count }) => count)).toEqual([100, undefined, undefined])
  for (let times = 0; times < 50; times++) {
    now += 60_001
    add(by)
  }
  const kept = log.list({ limit: 1000 })
  expect([kept.length, kept.at(-1)?.by?.name, kept.at(-2)?.outcome]).toEqual([22, other?.name, 'done'])
})

test('a row of a process that has ended within the act says so', async () => {
  const folder = await newFolder()
  const store = openConsoleStore(folder)
  store.audit.begin({
    by: { name: 'ada', source: 'console' },
    address: '::1',
    act: 'start',
    route: 'POST /x',
    subject: {},
  })
  store.close()
  const { stdout } = await opsbook(['audit', '--refused', '--data-dir', folder], { folder })
  expect(stdout).toMatch(/ada \(console\) +::1 +start +no outcome\n/)
})

test('without a console there is no audit, and a flag that cannot be read is refused', async () => {
  const folder = await newFolder()
  expect(await opsbook(['audit', '--data-dir', 'data'], { folder })).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^no console has used \S+data yet\n$/),
  })
  openConsoleStore(folder).close()
  for (const dataDir of [folder, 'data'])
    expect(await opsbook(['audit', '--data-dir', dataDir, '--until', 'soon'], { folder })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--until takes 2h, 7d'),
    })
})
