import { type Sandbox, type SandboxOptions, startSandbox } from 'opsbook/sandbox'
import { Agent, type Dispatcher, request } from 'undici'
import { afterAll } from 'vitest'

/** Where each operation stands, written out: a wrong path in the table must show here. */
export const paths = {
  E1: '/safari/a2a-agent/create',
  E2: '/rum/application/create',
  E3: '/rum/application/infos',
  E4: '/monit/tools/invoke',
  E5: '/monit/preview/sync',
  E6: '/safari/session/export',
  E7: '/rum/issue/preset-severity/rules/disable',
  E8: '/incident/post-mortem/status/reset',
  E9: '/rum/error-ingestion/rules/list',
  catalog: '/monit/tools/catalog',
} as const

export type OperationId = keyof typeof paths

/** A body that each operation accepts from the owner. */
export const validBodies = {
  E1: {
    agent_name: 'helper',
    instructions: 'Answers questions.',
    card_url: 'https://agents.example.com/card.json',
  },
  E2: { application_name: 'shop', type: 'browser', team_id: 1 },
  E3: { application_ids: ['CheckoutWebSandboxApp1'] },
  E4: { target_locator: 'web-01', tools: [{ tool: 'os.overview', params: {} }] },
  E5: { ds_type: 'prometheus', ds_name: 'prom-main', expr: 'up' },
  E6: { session_id: 'sess_short' },
  E7: { application_id: 'CheckoutWebSandboxApp1', rule_id: 'sev_crash' },
  E8: { post_mortem_id: '00000000000000000000000000000001', status: 'published' },
  E9: { application_id: 'CheckoutWebSandboxApp1' },
  catalog: { target_locator: 'web-01' },
} as const

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape are looked into
type AnyJson = any

export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
  readonly json: AnyJson
}

export interface Raw {
  readonly method?: Dispatcher.HttpMethod
  readonly headers?: Record<string, string>
  readonly body?: string | Buffer
}

export interface OpenSandbox extends Sandbox {
  /** Calls an operation the way a client does. */
  call(id: OperationId, body?: unknown, key?: string, headers?: Record<string, string>): Promise<Reply>
  /** Sends anything to a path. */
  send(path: string, raw: Raw): Promise<Reply>
  /** `GET /_sandbox/…`, or `POST` when there is a body. */
  control(path: string, body?: unknown): Promise<AnyJson>
}

/** A sandbox on a free port, with the few ways in which tests talk to it. */
export async function openSandbox(options: SandboxOptions = {}): Promise<OpenSandbox> {
  const sandbox = await startSandbox(options)
  const agent = new Agent()
  const send = async (path: string, raw: Raw): Promise<Reply> => {
    const answer = await request(`${sandbox.url}${path}`, {
      method: raw.method ?? 'POST',
      dispatcher: agent,
      ...(raw.headers && { headers: raw.headers }),
      ...(raw.body !== undefined && { body: raw.body }),
    })
    const text = await answer.body.text()
    return { status: answer.statusCode, headers: answer.headers, text, json: parse(text) }
  }
  return {
    url: sandbox.url,
    async close() {
      await sandbox.close()
      await agent.destroy()
    },
    send,
    call: (id, body = validBodies[id], key = 'sandbox-owner', headers = {}) =>
      send(`${paths[id]}?app_key=${key}`, {
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      }),
    async control(path, body) {
      const raw: Raw =
        body === undefined
          ? { method: 'GET' }
          : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
      const { status, json } = await send(`/_sandbox/${path}`, raw)
      return status === 200 ? json : { status, ...json }
    },
  }
}

/** The same for all tests of a file, closed after the last one. */
export async function openFileSandbox(options: SandboxOptions = {}): Promise<OpenSandbox> {
  const sandbox = await openSandbox(options)
  afterAll(() => sandbox.close())
  return sandbox
}

function parse(text: string): AnyJson {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The events of an NDJSON text. */
export function linesOf(text: string): readonly AnyJson[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}
