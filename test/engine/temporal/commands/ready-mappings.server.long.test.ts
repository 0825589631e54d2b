/** The hooks that docs/triggers.md has ready, on a `serve` of a Temporal server. */
import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Running, requireBuild, root, start } from '../../../cli/support/process.ts'
import { hooks, payload, secretsOfSenders, senders } from '../../../triggers/ready-senders.ts'
import { type Engines, openEngines } from './open-engines.ts'

let engines: Engines
beforeAll(async () => {
  requireBuild()
  engines = await openEngines({})
  const shipped = await readFile(join(root, 'runbooks/diagnose-host.yaml'), 'utf8')
  // Two of the senders speak of the same host.
  const mine = shipped.replace(/^ +cooldown: .*\n/m, '')
  expect(mine).not.toBe(shipped)
  await mkdir(join(engines.folder, 'runbooks'))
  await writeFile(join(engines.folder, 'runbooks/diagnose-host.yaml'), mine)
  await appendFile(join(engines.folder, 'opsbook.yaml'), `hooks: ${JSON.stringify(hooks)}\n`)
}, 300_000)
afterAll(() => engines.close(), 60_000)

async function serve(): Promise<{ readonly running: Running; readonly url: string }> {
  const env = { ...engines.env, ...secretsOfSenders, OPSBOOK_ENGINE: 'temporal' }
  const running = start(['serve', '--listen', '127.0.0.1:0'], env, engines.folder)
  return { running, url: /http:\S+/.exec(await running.until('stdout', '\n'))?.[0] ?? '' }
}

async function json(...words: readonly string[]) {
  const { code, stdout, stderr } = await engines.temporal([...words, '-o', 'json'])
  expect(code, stderr).toBe(0)
  return JSON.parse(stdout)
}

test('an incident of each of the senders starts diagnose-host, and only once', async () => {
  const { running, url } = await serve()
  for (const { hook, payload: name, headers, host, title, severity = 'critical', over } of senders) {
    const post = async (body: string, own: Readonly<Record<string, string>>) => {
      const all = { ...own, 'content-type': 'application/json' }
      const answer = await fetch(`${url}/hooks/${hook}`, { method: 'POST', headers: all, body })
      return { status: answer.status, text: await answer.text() }
    }
    const body = payload(name)
    expect((await post(body, { authorization: 'Bearer another' })).status, hook).toBe(401)
    const first = await post(body, headers(body))
    expect(first.status, hook).toBe(202)
    const { event_id: eventId, starts } = JSON.parse(first.text)
    expect(await post(body, headers(body)), hook).toEqual(first)
    const later = over(body)
    const end = await post(later, headers(later))
    expect(JSON.parse(end.text).starts, hook).toMatchObject([{ because: 'where_false' }])
    const [{ run_id: runId }] = starts
    expect((await engines.temporal(['watch', runId])).code, hook).toBe(0)
    expect(await json('show', runId), hook).toMatchObject({
      inputs: { host },
      outputs: { tools_run: 20 },
      started_from: { kind: 'event', hook, event_id: eventId },
    })
    expect(await json('events', 'show', eventId), hook).toMatchObject({
      body: { incident: { title, severity, status: 'triggered' } },
    })
  }
  running.child.kill('SIGTERM')
  const { code, stderr } = await running.ended
  expect(code, stderr).toBe(0)
}, 120_000)
