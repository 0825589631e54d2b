/** The attack: secrets, and values that are treated as such, that are too long for a mask of regular expressions. */
import { expect, test } from 'vitest'
import { newFolder, opsbook } from '../cli/support/opsbook.ts'
import { keptTexts } from './support/kept-texts.ts'
import { startServing } from './support/serve-in-process.ts'
import { startTellingServer } from './support/telling-server.ts'

const longSecret = Array.from({ length: 4096 }, (_, at) => `C4n4ry+${at}/=`.padEnd(15, '.')).join('|')
const shortSecret = 'hook-t0ken-4711-abcdef'

/** Sends the secret to the service. */
const agent = `- id: agent
    uses: safari/a2a-agent/create
    with:
      agent_name: a
      instructions: b
      card_url: "https://a.example.com/c"
      auth_config: { token: "\${{ secrets.key }}" }`

function expectNoSecret(text: string): void {
  for (const part of [longSecret.slice(0, 40), longSecret.slice(-40), shortSecret, 'sandbox-owner'])
    expect(text.includes(part)).toBe(false)
  expect(text).not.toContain('Invalid regular expression')
}

test('a run with a secret of 64 KiB succeeds and shows none of it', async () => {
  const server = await startTellingServer()
  const folder = await newFolder({
    'opsbook.yaml': 'secrets: { key: env:KEY }\n',
    'long.yaml': `apiVersion: opsbook/v1
name: long
secrets: [key]
steps:
  ${agent}
  - { id: after, uses: core/http, with: { url: "${server.url}/login" } }
`,
  })
  const env = { KEY: longSecret, OPSBOOK_LOG_LEVEL: 'debug' }
  expect(longSecret.length).toBe(65_535)
  const run = await opsbook(['run', 'long.yaml', '--sandbox', '--allow-outside', '--data-dir', 'data'], {
    folder,
    env,
  })
  expect(run.code).toBe(0)
  for (const text of [run.stdout, run.stderr, ...Object.values(keptTexts(`${folder}/data`))])
    expectNoSecret(text)
})

test('nor do deliveries, refusals and the log of serve fail for it', async () => {
  const server = await startTellingServer()
  const folder = await newFolder({
    'opsbook.yaml': `secrets: { key: env:KEY }
hooks:
  calls:
    auth: { type: token, header: X-Token, secret: env:TOKEN }
    event: incident
    id: "\${{ body.id }}"
    map: { incident: "\${{ body }}" }
`,
    'long.yaml': `apiVersion: opsbook/v1
name: long
secrets: [key]
triggers: [{ type: incident }]
steps:
  - { id: cookie, uses: core/http, with: { url: "${server.url}/cookie?n=7000" } }
  ${agent}
  - { id: wait, uses: core/approve, with: { message: Go on? } }
`,
  })
  const env = { KEY: longSecret, TOKEN: shortSecret }
  const served = await startServing(['--sandbox', '--allow-outside', '--data-dir', 'data', 'long.yaml'], {
    folder,
    env,
  })
  const send = async (
    id: string,
    token: string,
    body: object = { id },
  ): Promise<readonly [number, string]> => {
    const answer = await fetch(`${served.url}/hooks/calls`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-token': token },
      body: JSON.stringify(body),
    })
    return [answer.status, await answer.text()]
  }
  const asked = async (): Promise<string> =>
    (await opsbook(['logs', 'latest', '--data-dir', 'data'], { folder, env })).stdout
  expect((await send('d1', shortSecret))[0]).toBe(200)
  await expect.poll(asked).toContain('Go on?')
  // While the run that has learnt the cookie goes on.
  const answers = [
    await send('d2', shortSecret),
    await send('d3', 'wrong', { id: 'd3', text: 'x'.repeat(1_100_000) }),
    await send('d4', 'wrong'),
  ]
  expect(answers.map(([status]) => status)).toEqual([200, 413, 401])
  for (const [, text] of answers) expectNoSecret(text)
  expectNoSecret(served.text())
  expect(served.text()).not.toContain('c00kie-c00kie')
  expect(served.text().match(/"msg":"event"/g)).toHaveLength(2)
  expect(await (await fetch(`${served.url}/readyz`)).status).toBe(200)
})
