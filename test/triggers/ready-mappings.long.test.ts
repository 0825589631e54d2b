/** The hooks that docs/triggers.md has ready for senders, each with the body that its sender documents. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { newFolder } from '../cli/support/opsbook.ts'
import { requireBuild, root } from '../cli/support/process.ts'
import { json, serve, stop } from '../cli/support/serve.ts'
import { startService } from '../cli/support/service.ts'
import { hooks, payload, secretsOfSenders, senders } from './ready-senders.ts'

beforeAll(requireBuild)

test('there is one for each of the senders', () => {
  expect(Object.keys(hooks)).toEqual(senders.map(({ hook }) => hook))
})

test.each(senders)('$payload: an incident starts diagnose-host, and only once', async (sender) => {
  const { folder, env } = await project()
  const body = payload(sender.payload)
  const words = ['events', 'test', 'diagnose_host', '--hook', sender.hook, '--event', '-']
  expect(await json(words, folder, env, body)).toMatchObject({
    decisions: [{ would_start: true, inputs: { host: sender.host } }, { would_start: false }],
  })

  const { post, json: read, stop } = await serveHook(folder, env, sender.hook)
  const wrong = await post(body, { authorization: 'Bearer another', 'x-pagerduty-signature': 'v1=00' })
  expect(wrong.status).toBe(401)
  const first = await post(body, sender.headers(body))
  expect(first.status).toBe(200)
  const [{ run_id: runId }] = JSON.parse(first.text).starts
  expect(runId).toMatch(/^run_/)
  expect(await post(body, sender.headers(body))).toEqual(first)
  const later = sender.over(body)
  const end = await post(later, sender.headers(later))
  expect(JSON.parse(end.text).starts).toMatchObject([{ because: 'where_false' }])

  // The whole record: of a run that ended otherwise it says why.
  await expect.poll(() => read('show', runId)).toMatchObject({ status: 'succeeded' })
  expect(await read('show', runId)).toMatchObject({
    inputs: { host: sender.host },
    outputs: { tools_run: 20 },
  })
  const { event_id: eventId } = JSON.parse(first.text)
  expect(await read('events', 'show', eventId)).toMatchObject({
    body: { incident: { title: sender.title, severity: sender.severity ?? 'critical', status: 'triggered' } },
  })
  await stop()
})

test('the test of PagerDuty is taken, and starts nothing', async () => {
  const { folder, env } = await project()
  const { post, stop } = await serveHook(folder, env, 'pagerduty')
  const body = payload('pagerduty-ping')
  const answer = await post(body, senders[3]?.headers(body) ?? {})
  expect(answer.status).toBe(200)
  expect(JSON.parse(answer.text).starts).toMatchObject([{ because: 'where_false' }])
  await stop()
})

/** A folder with all of the hooks and the runbook that ships. */
async function project() {
  const service = await startService()
  const shipped = 'runbooks/diagnose-host.yaml'
  const folder = await newFolder({
    'opsbook.yaml': JSON.stringify({ hooks }),
    [shipped]: await readFile(join(root, shipped), 'utf8'),
  })
  const env = {
    ...service.env(),
    OPSBOOK_DATA_DIR: join(folder, 'data'),
    ...secretsOfSenders,
  }
  return { folder, env }
}

async function serveHook(folder: string, env: Readonly<Record<string, string>>, hook: string) {
  const { running, origin } = await serve(folder, env)
  return {
    async post(body: string, headers: Readonly<Record<string, string>>) {
      const all = { ...headers, 'content-type': 'application/json' }
      const answer = await fetch(`${origin}/hooks/${hook}`, { method: 'POST', headers: all, body })
      return { status: answer.status, text: await answer.text() }
    },
    json: (...words: readonly string[]) => json(words, folder, env),
    stop: () => stop(running),
  }
}
