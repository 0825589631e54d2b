import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { type CommandResult, newFolder, opsbook } from '../support/opsbook.ts'
import { type EchoServer, type Manner, startEchoServer } from './echo-server.ts'

const secrets = {
  OPSBOOK_APP_KEY: 'canary-key/7d31+aa=',
  AGENT_TOKEN: 'canary-agent"b842\\x/ü',
  AGENT_USER: 'canary-user 5f0c',
  HEADER_TOKEN: 'canary-header+91ce/==',
}

const configuration = `secrets:
  agent_token: env:AGENT_TOKEN
  agent_user: file:user.txt
  header_token: env:HEADER_TOKEN
`

const runbook = (url: string): string => `apiVersion: opsbook/v1
name: canary
secrets: [agent_token, agent_user, header_token]
steps:
  - id: agent
    continue-on-error: true
    uses: safari/a2a-agent/create
    with:
      agent_name: a
      instructions: b
      card_url: https://agents.example.com/card
      auth_config: { token: "\${{ secrets.agent_token }}", user: "\${{ secrets.agent_user }}" }
    catch:
      - errors: [OutcomeUnknown]
        steps: [{ id: doubt, uses: core/log, with: { message: "\${{ error.message }}" } }]
  - id: rules
    continue-on-error: true
    retry: { attempts: 2, delay: 1ms }
    uses: rum/error-ingestion/rules/list
    with: { application_id: x }
  - id: call
    continue-on-error: true
    retry: { attempts: 2, delay: 1ms }
    uses: core/http
    with:
      url: ${url}/search
      method: POST
      safety: read
      secret-headers:
        Authorization: { secret: header_token, prefix: "Bearer " }
      body: { a: 1 }
  - id: file
    continue-on-error: true
    uses: core/http
    with:
      url: ${url}/file
      secret-headers: { X-Token: { secret: header_token } }
    save-as: answer.json
  - id: write
    uses: core/write
    with: { content: "\${{ [default(steps.call.outputs, null), default(steps.rules.error, null), default(steps.agent.outputs, null)] }}" }
    save-as: all.json
  - id: last
    uses: core/assert
    with: { that: ["\${{ false }}"], message: "\${{ string(default(steps.call.error.message, 'none')) }}" }
`

interface Stage {
  readonly echo: EchoServer
  readonly folder: string
  command(...words: readonly string[]): Promise<CommandResult>
}

async function stage(): Promise<Stage> {
  const echo = await startEchoServer()
  const folder = await newFolder({
    'opsbook.yaml': configuration,
    'canary.yaml': runbook(echo.url),
    'user.txt': secrets.AGENT_USER,
  })
  const env = { ...secrets, AGENT_USER: '', OPSBOOK_BASE_URL: echo.url, OPSBOOK_DATA_DIR: 'data' }
  return { echo, folder, command: (...words) => opsbook(words, { folder, env }) }
}

/** Every form in which a secret would still be one. */
function formsOf(secret: string): readonly string[] {
  const base64 = Buffer.from(secret).toString('base64')
  return [
    secret,
    encodeURIComponent(secret),
    encodeURI(secret),
    new URLSearchParams({ a: secret }).toString().slice(2),
    base64,
    base64.replace(/=+$/, ''),
    Buffer.from(secret).toString('base64url'),
    JSON.stringify(secret).slice(1, -1),
    JSON.stringify(JSON.stringify(secret)).slice(3, -3),
  ]
}

function found(text: string, where: string): readonly string[] {
  const lower = text.toLowerCase()
  return Object.entries(secrets).flatMap(([name, secret]) =>
    [...new Set(formsOf(secret))]
      .filter((form) => lower.includes(form.toLowerCase()))
      .map((form) => `${where} holds ${name} as ${form}: …${around(lower, form.toLowerCase())}…`),
  )
}

function around(text: string, form: string): string {
  const at = text.indexOf(form)
  return text.slice(Math.max(0, at - 60), at + form.length + 20)
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
}

const manners: readonly Manner[] = ['data', 'error', 'html', 'redirect', 'cut-off', 'headers']

it.each(manners)('no secret is left anywhere by a service that says all it heard: %s', async (manner) => {
  const { echo, folder, command } = await stage()
  echo.manner = manner
  const leaks: string[] = []
  const look = async (...words: readonly string[]): Promise<CommandResult> => {
    const result = await command(...words)
    leaks.push(...found(result.stdout, `stdout of ${words.join(' ')}`))
    leaks.push(...found(result.stderr, `stderr of ${words.join(' ')}`))
    return result
  }
  const ran = await look('run', 'canary.yaml')
  expect(ran.stdout, ran.stderr).toContain('canary failed')
  // They did go where they belong: a search that could not find them would prove nothing.
  expect(echo.heard(encodeURIComponent(secrets.OPSBOOK_APP_KEY))).toBeGreaterThan(0)
  expect(echo.heard(JSON.stringify(secrets.AGENT_TOKEN))).toBeGreaterThan(0)
  expect(echo.heard(secrets.AGENT_USER)).toBeGreaterThan(0)
  expect(echo.heard(secrets.HEADER_TOKEN)).toBeGreaterThan(0)

  for (const output of ['json', 'ndjson']) await look('--verbose', 'run', 'canary.yaml', '-o', output)
  await look('--verbose', 'run', 'canary.yaml', '--reveal')
  await look('resume', 'latest')
  await look('show', 'latest', '--full')
  await look('show', 'latest', '--full', '--reveal', '-o', 'json')
  await look('logs', 'latest')
  await look('logs', 'latest', '-o', 'ndjson')
  await look('runs', '-o', 'json')
  await look('watch', 'latest')
  await look('plan', 'canary.yaml', '-o', 'json')
  await look('validate', 'canary.yaml', '-o', 'json')
  await look('doctor')
  await look('call', 'rum/error-ingestion/rules/list', '--input', 'application_id=x')
  await look(
    '--verbose',
    'call',
    'rum/error-ingestion/rules/list',
    '--input',
    'application_id=x',
    '-o',
    'json',
  )

  const files = filesIn(join(folder, 'data'))
  expect(files.map((file) => file.slice(file.lastIndexOf('/') + 1))).toEqual(
    expect.arrayContaining(['opsbook.db', 'all.json']),
  )
  for (const file of files)
    leaks.push(...found(readFileSync(file, 'latin1'), file), ...found(readFileSync(file, 'utf8'), file))
  expect(leaks.slice(0, 5)).toEqual([])
})
