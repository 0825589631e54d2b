import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))

/** `opsbook serve` with a console in a process of its own, which executes the runs too. */
export interface Stage {
  readonly url: string
  /** The header that names the session. */
  readonly cookie: string
  /** A new one-time address. */
  issueLogin(): Promise<string>
  /** Starts a run of the loop, and returns its id. */
  start(inputs: LoopInputs): Promise<string>
  /** Resolves once the loop has begun this many items. */
  untilBegun(runId: string, items: number): Promise<void>
  /** Resolves once the run has ended, with how many milliseconds its slow items took. */
  untilEnded(runId: string, inputs: LoopInputs): Promise<number>
  close(): Promise<void>
}

/** The first items are as quick as the engine can, the others wait. */
export interface LoopInputs {
  readonly items: number
  readonly quick: number
  /** As a duration. */
  readonly wait: string
}

const runbook = `apiVersion: opsbook/v1
name: fleet
title: Look at every host
inputs:
  type: object
  required: [items, quick, wait]
  properties: { items: { type: integer }, quick: { type: integer }, wait: { type: string } }
steps:
  - id: hosts
    for-each: { items: "\${{ range(inputs.items) }}", as: n, max-parallel: 20, tolerate: all }
    steps:
      - { id: look, if: "\${{ n >= inputs.quick }}", uses: core/wait, with: { for: "\${{ inputs.wait }}" } }
      - { id: note, uses: core/set, with: { host: "web-\${{ n }}" } }
      - id: check
        if: \${{ n % 50 == 11 }}
        uses: core/fail
        with: { code: AgentOffline, message: "the agent of web-\${{ n }} is offline" }
`

export async function openStage(): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), 'opsbook-bench-'))
  await writeFile(join(folder, 'opsbook.yaml'), 'console: { listen: "127.0.0.1:0" }\n')
  await writeFile(join(folder, 'fleet.yaml'), runbook)
  const opsbook = async (...words: readonly string[]): Promise<string> =>
    (await promisify(execFile)(process.execPath, [main, ...words, '--data-dir', 'data'], { cwd: folder }))
      .stdout
  const serving = await startServe(folder)
  const issueLogin = async (): Promise<string> =>
    JSON.parse(await opsbook('console', '--output', 'json')).login
  const login = new URL(await issueLogin())
  const url = login.origin
  const cookie = await logIn(login)
  const get = async (path: string): Promise<Document> =>
    (await (await fetch(url + path, { headers: { cookie } })).json()) as Document
  return {
    url,
    cookie,
    issueLogin,
    async start(inputs) {
      const words = Object.entries(inputs).flatMap(([name, value]) => ['--input', `${name}=${value}`])
      return (await opsbook('start', 'fleet.yaml', ...words)).trim()
    },
    async untilBegun(runId, items) {
      for (;;) {
        const { nodes = [] } = await get(`/api/v1/runs/${runId}/view`)
        const loop = nodes.find((node) => node.loop)?.loop
        if (loop && loop.done + loop.in_flight > items) return
        await sleep(100)
      }
    },
    async untilEnded(runId, { quick }) {
      for (;;) {
        // Reads one row: it costs the run next to nothing.
        const [run] = (await get('/api/v1/runs?limit=1')).runs ?? []
        if (run?.run_id !== runId) throw new Error(`another run than ${runId} is the newest`)
        const { status, ended_at } = run
        if (ended_at !== undefined && status !== 'succeeded') throw new Error(`${runId}: ${status}`)
        if (ended_at !== undefined) {
          const page = await get(`/api/v1/runs/${runId}/items?step=hosts&after=${quick - 1}&limit=1`)
          return Date.parse(ended_at) - Date.parse(page.items?.[0]?.started_at ?? '')
        }
        await sleep(250)
      }
    },
    async close() {
      serving.kill('SIGTERM')
      await once(serving, 'close')
      await rm(folder, { recursive: true, force: true })
    },
  }
}

interface Document {
  readonly runs?: readonly {
    readonly run_id: string
    readonly status: string
    readonly ended_at?: string
  }[]
  readonly items?: readonly { readonly started_at: string }[]
  readonly nodes?: readonly { readonly loop?: { readonly done: number; readonly in_flight: number } }[]
}

async function startServe(folder: string): Promise<ChildProcess> {
  const serving = spawn(process.execPath, [main, 'serve', '--data-dir', 'data', '--listen', '127.0.0.1:0'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  let said = ''
  await new Promise<void>((ready, fail) => {
    serving.stdout.on('data', (text) => {
      said += String(text)
      if (said.includes('serve ready')) ready()
    })
    serving.on('close', () => fail(new Error(`serve ended: ${said}`)))
  })
  return serving
}

async function logIn({ origin, searchParams }: URL): Promise<string> {
  const answer = await fetch(`${origin}/login`, {
    method: 'POST',
    headers: { origin, 'content-type': 'application/x-www-form-urlencoded' },
    body: `code=${searchParams.get('code')}`,
    redirect: 'manual',
  })
  const [cookie = ''] = answer.headers.getSetCookie()
  return cookie.split(';')[0] ?? ''
}
