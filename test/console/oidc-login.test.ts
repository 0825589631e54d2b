/** `serve` with a console whose people a provider logs in: as opsbook.yaml says it. */
import { expect, test } from 'vitest'
import { newFolder } from '../cli/support/opsbook.ts'
import { refusedServing, startServing } from '../security/support/serve-in-process.ts'
import { clientSecret, openBrowser, publicUrl, startProvider } from './support/oidc.ts'
import { addressOf } from './support/serve-console.ts'

const roles = 'roles: { viewer: ["*"], admin: [platform] }'
const client = 'client-id: opsbook, client-secret: env:CONSOLE_CLIENT_SECRET'
const env = { CONSOLE_CLIENT_SECRET: clientSecret }
const configuration = (issuer: string) => `console:
  listen: "127.0.0.1:0"
  public-url: ${publicUrl.origin}
  auth: { type: oidc, issuer: "${issuer}", ${client}, scopes: [profile, groups], ${roles} }
people: { groups: { platform: [ada] } }
`

test('people log in by the provider, once it is there, and have the roles of their groups', async () => {
  const people = { ada: { preferred_username: 'ada' }, bob: { preferred_username: 'bob', groups: ['sre'] } }
  const provider = await startProvider({ people })
  await provider.stop()
  const folder = await newFolder({ 'opsbook.yaml': configuration(provider.issuer.origin) })
  const serving = await startServing(['--sandbox', '--data-dir', 'data'], { folder, env })
  const { url } = await addressOf({ folder, env })
  const [ada, bob] = [openBrowser(url), openBrowser(url)]
  expect((await ada.goThrough('ada')).status).toBe(502)
  await provider.start()
  await ada.goThrough('ada')
  await bob.goThrough('bob')
  expect((await bob.open('/api/v1/audit')).status).toBe(403)
  const { audit } = JSON.parse((await ada.open('/api/v1/audit')).text)
  expect(audit.map(({ by, outcome }: Record<string, { name?: string }>) => [by?.name, outcome])).toEqual([
    ['bob', 'done'],
    ['ada', 'done'],
  ])
  expect(serving.text()).toContain('ECONNREFUSED')
  expect(serving.text()).not.toContain(clientSecret)
  await serving.stop()
})

test('a client secret that is nowhere ends serve', async () => {
  const folder = await newFolder({ 'opsbook.yaml': configuration('https://login.example.com') })
  const refused = await refusedServing(['--sandbox', '--data-dir', 'data'], { folder })
  expect(refused).toEqual([5, expect.stringContaining('console.auth.client-secret cannot be used')])
})
