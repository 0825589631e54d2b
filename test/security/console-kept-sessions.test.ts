/** Sessions outlive the process of their console. What is kept of them makes nobody anybody. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ConsoleOptions, OidcAuth } from '../../src/console/server/index.ts'
import { openConsoleDatabase } from '../../src/console/store/database.ts'
import { newFolder } from '../cli/support/opsbook.ts'
import { oidcAuth, openBrowser, publicUrl, startProvider } from '../console/support/oidc.ts'
import { type OpenConsole, openConsole, personAt } from '../console/support/open-console.ts'
import { sendRaw } from './support/send-raw.ts'

/** Opens the console of a data directory again, as after its process was killed. */
async function again(dataDir: string, { cookie }: OpenConsole, more: Partial<ConsoleOptions> = {}) {
  const console = await openConsole(dataDir, { roles: ['admin'], ...more })
  const own = cookie.replace(/^opsbook-\d+/, `opsbook-${new URL(console.url).port}`)
  return { console, person: personAt(console.url, own) }
}

const proofIn = (text: string): string => /"csrf":"([^"]+)"/.exec(text)?.[1] ?? ''

test('a session continues after its console was killed, also the form of a page that was open', async () => {
  const folder = await newFolder()
  const before = await openConsole(folder, { roles: ['admin'] })
  const proof = proofIn((await before.get('/runs')).text)
  const { person } = await again(folder, before)
  expect(proofIn((await person.get('/runs')).text)).toBe(proof)
  const { sessions } = await person.json('/api/v1/sessions')
  expect(sessions[1]).toMatchObject({ by: { name: 'ada' }, roles: ['admin'], is_own: true })
  expect((await person.send('/logout', {})).status).toBe(303)
})

test.each(['the person', 'an admin'])('a session that %s has ended does not come back', async (who) => {
  const folder = await newFolder()
  const before = await openConsole(folder, { roles: ['admin'] })
  if (who === 'the person') await before.send('/logout', {})
  else {
    const { sessions } = await before.json('/api/v1/sessions')
    await before.send(`/sessions/${sessions[0]?.id}/end`, {})
  }
  const { person } = await again(folder, before)
  expect((await person.get('/api/v1/runs')).status).toBe(401)
})

test('nothing of what is kept opens a session, or proves a form', async () => {
  const folder = await newFolder()
  const console = await openConsole(folder, { roles: ['admin'] })
  const database = openConsoleDatabase(folder)
  const kept = database
    .prepare('SELECT * FROM sessions')
    .all()
    .flatMap((row) => Object.values({ ...row, ...JSON.parse(String(row['record'])) }).map(String))
  database.close()
  expect(kept.length).toBeGreaterThan(5)
  const [name, secret = ''] = console.cookie.split('=')
  const proof = proofIn((await console.get('/runs')).text)
  for (const value of kept) {
    const given = [value, Buffer.from(value, 'hex').toString('base64url')]
    for (const one of given) {
      const headers = { cookie: `${name}=${encodeURIComponent(one)}` }
      expect((await sendRaw(`${console.url}/api/v1/runs`, headers)).status).toBe(401)
    }
  }
  const files = readdirSync(folder).filter((file) => file.startsWith('console.db'))
  const bytes = files.map((file) => readFileSync(join(folder, file), 'latin1')).join()
  for (const text of [secret, proof]) expect([text.length, bytes.includes(text)]).toEqual([43, false])
})

test('a session of a provider has the roles of now, and ends with the log-in that made it', async () => {
  const provider = await startProvider()
  const folder = await newFolder()
  const open = async (more: Partial<OidcAuth>, admins: readonly string[] = ['ops']) => {
    const auth = oidcAuth(provider, { viewer: ['*'], admin: admins }, more)
    return openConsole(folder, { roles: ['admin'], auth, publicUrl })
  }
  const first = openBrowser((await open({})).url)
  await first.goThrough('ada')
  const later = async (console: OpenConsole) => {
    const browser = openBrowser(console.url)
    for (const [name, value] of first.cookies) browser.cookies.set(name, value)
    return [(await browser.open('/api/v1/runs')).status, (await browser.open('/api/v1/audit')).status]
  }
  expect(await later(await open({}))).toEqual([200, 200])
  expect(await later(await open({}, ['platform']))).toEqual([200, 403])
  expect(await later(await open({ nameClaim: 'email' }))).toEqual([401, 401])
  expect(await later(await open({ clientId: 'another' }))).toEqual([401, 401])
  expect(await later(await openConsole(folder, { roles: ['admin'], publicUrl }))).toEqual([401, 401])
  const kept = readdirSync(folder).flatMap((file) =>
    file.startsWith('console.db') ? [readFileSync(join(folder, file), 'latin1')] : [],
  )
  expect(kept.join()).not.toMatch(/eyJ|access_token|id_token/)
})
