/** The hooks that docs/triggers.md has ready for senders, each with the body that its sender documents. */
import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { cp, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { newFolder, opsbook } from '../cli/support/opsbook.ts'
import { buildFirst, root, start } from '../cli/support/process.ts'
import { startService } from '../cli/support/service.ts'
import { signed, secret as signingSecret } from './serve/serve-hooks.ts'

beforeAll(buildFirst, 300_000)

const page = readFileSync(join(root, 'docs/triggers.md'), 'utf8')
const [, section = ''] = page.split('\n## Ready mappings\n')
const blocks = (section.split('\n## ')[0] ?? '').matchAll(/```yaml\n# opsbook\.yaml\n([^`]*)```/g)
const hooks: Readonly<Record<string, object>> = Object.assign(
  {},
  ...[...blocks].map(([, yaml = '']) => parse(yaml).hooks),
)

interface Sender {
  readonly hook: string
  readonly payload: string
  /** What proves who sends it. */
  readonly headers: (body: string) => Readonly<Record<string, string>>
  readonly host: string
  readonly title: string
  /** As the sender spells it. @default critical */
  readonly severity?: string
  /** The same incident, once it is over. */
  readonly over: (body: string) => string
}

const token = 'a long token of the sender'
const bearer = () => ({ authorization: `Bearer ${token}` })

const senders: readonly Sender[] = [
  {
    hook: 'incidents',
    payload: 'sandbox',
    headers: (body) => signed(body),
    host: 'web-01',
    title: 'Checkout is slow',
    severity: 'Critical',
    over: (body) => body.replace('"triggered"', '"resolved"').replace('"evt_', '"evt_2'),
  },
  {
    hook: 'alertmanager',
    payload: 'alertmanager',
    headers: bearer,
    host: 'disk-01',
    title: 'Less than 5% left on /data of disk-01',
    over: (body) => body.replaceAll('"firing"', '"resolved"'),
  },
  {
    hook: 'grafana',
    payload: 'grafana',
    headers: bearer,
    host: 'web-01',
    title: 'Half of all checkouts take longer than 2 s',
    over: (body) => body.replaceAll('"firing"', '"resolved"'),
  },
  {
    hook: 'pagerduty',
    payload: 'pagerduty',
    headers: (body) => ({
      'x-pagerduty-signature': ['another', signingSecret]
        .map((key) => `v1=${createHmac('sha256', key).update(body).digest('hex')}`)
        .join(','),
    }),
    host: 'node-1',
    title: 'Checkout is slow on node-1',
    over: (body) => body.replace('incident.triggered', 'incident.resolved').replace('"01DGW', '"01DGX'),
  },
]

test('there is one for each of the senders', () => {
  expect(Object.keys(hooks)).toEqual(senders.map(({ hook }) => hook))
})

test.each(senders)('$payload: an incident starts diagnose-host, and only once', async (sender) => {
  const { folder, env } = await project()
  const body = payload(sender.payload)
  const asked = await opsbook(
    ['events', 'test', 'diagnose_host', '--hook', sender.hook, '--event', '-', '--output', 'json'],
    { folder, env, stdin: body },
  )
  expect(asked.code, asked.stderr).toBe(0)
  expect(JSON.parse(asked.stdout)).toMatchObject({
    decisions: [{ would_start: true, inputs: { host: sender.host } }],
  })

  const { post, json, stop } = await serve(folder, env, sender.hook)
  const wrong = await post(body, { authorization: 'Bearer another', 'x-pagerduty-signature': 'v1=00' })
  expect(wrong.status).toBe(401)
  const first = await post(body, sender.headers(body))
  expect(first.status).toBe(202)
  const [{ run_id: runId }] = JSON.parse(first.text).starts
  expect(runId).toMatch(/^run_/)
  expect(await post(body, sender.headers(body))).toEqual(first)
  const later = sender.over(body)
  const end = await post(later, sender.headers(later))
  expect(JSON.parse(end.text).starts).toMatchObject([{ because: 'where_false' }])

  await expect.poll(async () => (await json('show', runId)).status).toBe('succeeded')
  expect(await json('show', runId)).toMatchObject({
    inputs: { host: sender.host },
    outputs: { tools_run: 20 },
  })
  const { event_id: eventId } = JSON.parse(first.text)
  expect(await json('events', 'show', eventId)).toMatchObject({
    body: { incident: { title: sender.title, severity: sender.severity ?? 'critical', status: 'triggered' } },
  })
  await stop()
})

test('the test of PagerDuty is taken, and starts nothing', async () => {
  const { folder, env } = await project()
  const { post, stop } = await serve(folder, env, 'pagerduty')
  const body = payload('pagerduty-ping')
  const answer = await post(body, senders[3]?.headers(body) ?? {})
  expect(answer.status).toBe(202)
  expect(JSON.parse(answer.text).starts).toMatchObject([{ because: 'where_false' }])
  await stop()
})

function payload(name: string): string {
  return readFileSync(join(root, `test/cases/triggers/payloads/${name}.json`), 'utf8')
}

/** A folder with all of the hooks and the runbook that ships. */
async function project() {
  const service = await startService()
  const folder = await newFolder()
  await writeFile(join(folder, 'opsbook.yaml'), JSON.stringify({ hooks }))
  await mkdir(join(folder, 'runbooks'))
  await cp(join(root, 'runbooks/diagnose-host.yaml'), join(folder, 'runbooks/diagnose-host.yaml'))
  const env = {
    ...service.env(),
    OPSBOOK_DATA_DIR: join(folder, 'data'),
    OPSBOOK_WEBHOOK_SECRET: signingSecret,
    ALERTMANAGER_TOKEN: token,
    GRAFANA_TOKEN: token,
    PAGERDUTY_SECRET: signingSecret,
  }
  return { folder, env }
}

async function serve(folder: string, env: Readonly<Record<string, string>>, hook: string) {
  const running = start(['serve', '--listen', '127.0.0.1:0'], env, folder)
  const [url = ''] = /http:\S+/.exec(await running.until('stdout', '\n')) ?? []
  return {
    async post(body: string, headers: Readonly<Record<string, string>>) {
      const all = { ...headers, 'content-type': 'application/json' }
      const answer = await fetch(`${url}/hooks/${hook}`, { method: 'POST', headers: all, body })
      return { status: answer.status, text: await answer.text() }
    },
    async json(...words: readonly string[]) {
      const { code, stdout, stderr } = await opsbook([...words, '--output', 'json'], { folder, env })
      expect(code, stderr).toBe(0)
      return JSON.parse(stdout)
    },
    async stop() {
      running.child.kill('SIGTERM')
      expect((await running.ended).code).toBe(0)
    },
  }
}
