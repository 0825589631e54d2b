/** A project with a hook, `serve` in it, and a sender. */
import { createHmac } from 'node:crypto'
import { join } from 'node:path'
import { expect } from 'vitest'
import { newFolder, opsbook } from './opsbook.ts'
import { type Running, start } from './process.ts'

/** The secret of the hook. */
export const secret = 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3'

export const configuration = `connections: { elsewhere: { base-url: http://127.0.0.1:1, app-key: env:ELSEWHERE_KEY } }
hooks:
  incidents:
    auth: { type: standard-webhooks, secret: env:HOOK_SECRET }
    event: incident
    id: \${{ body.event_id }}
    map: { incident: "\${{ body.data }}" }
`

/** An incident registers an application. */
export const runbook = `apiVersion: opsbook/v1
name: register
inputs:
  properties: { name: { type: string } }
  required: [name]
triggers:
  - type: incident
    dedupe-key: \${{ event.incident.id }}
    with: { name: "\${{ event.incident.name }}" }
steps:
  - id: application
    uses: rum/application/create
    with: { application_name: "\${{ inputs.name }}", type: browser, team_id: 1 }
  - id: after
    uses: monit/tools/catalog
    with: { target_locator: web-01 }
`

type Environment = Readonly<Record<string, string>>

export async function project(
  env: Environment,
): Promise<{ readonly folder: string; readonly env: Environment & { readonly OPSBOOK_DATA_DIR: string } }> {
  const folder = await newFolder({ 'opsbook.yaml': configuration, 'runbooks/register.yaml': runbook })
  return { folder, env: { ...env, HOOK_SECRET: secret, OPSBOOK_DATA_DIR: join(folder, 'data') } }
}

/** `serve` in a process of its own. */
export interface ServeProcess {
  readonly running: Running
  /** Where it listens. */
  readonly origin: string
  /** Its hook. */
  readonly url: string
}

export async function serve(
  folder: string,
  env: Environment,
  words: readonly string[] = [],
): Promise<ServeProcess> {
  const running = start(['serve', '--listen', '127.0.0.1:0', ...words], env, folder)
  const [origin = ''] = /http:[^\s,]+/.exec(await running.until('stdout', '\n')) ?? []
  return { running, origin, url: `${origin}/hooks/incidents` }
}

export async function stop({ child, ended }: Running): Promise<void> {
  child.kill('SIGTERM')
  const { code, signal, stderr } = await ended
  expect({ code, signal }, stderr).toEqual({ code: 0, signal: null })
}

/** The document of a command, as the tests look into it. */
export async function json(
  words: readonly string[],
  folder: string,
  env: Environment,
  stdin = '',
  // biome-ignore lint/suspicious/noExplicitAny: each command has another.
): Promise<any> {
  const { code, stdout, stderr } = await opsbook([...words, '--output', 'json'], { folder, env, stdin })
  expect(code, stderr).toBe(0)
  return JSON.parse(stdout)
}

export async function send(
  url: string,
  id: string,
  data: object,
): Promise<{ readonly status: number; readonly text: string }> {
  const body = JSON.stringify({ event_id: id, data })
  const timestamp = Math.floor(Date.now() / 1000)
  const hmac = createHmac('sha256', Buffer.from(secret.slice(6), 'base64'))
  const signature = hmac.update(`${id}.${timestamp}.${body}`).digest('base64')
  const answer = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': `v1,${signature}`,
    },
    body,
  })
  return { status: answer.status, text: await answer.text() }
}
