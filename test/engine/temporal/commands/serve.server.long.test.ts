import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Running, requireBuild, start } from '../../../cli/support/process.ts'
import { historyTexts } from '../support/history-text.ts'
import { type Engines, openEngines } from './open-engines.ts'

const runbook = (name: string): string => `apiVersion: opsbook/v1
name: ${name}
inputs: { properties: { host: { type: string } }, required: [host] }
triggers:
  - type: incident
    hook: ${name}
    dedupe-key: \${{ event.incident.id }}
    with: { host: "\${{ event.incident.host }}" }
steps:
  - { id: note, uses: core/set, with: { host: "\${{ inputs.host }}" } }
`

const leak = `apiVersion: opsbook/v1
name: leak
inputs: { properties: { level: { type: integer, default: 1 } } }
triggers:
  - { type: incident, hook: leak, dedupe-key: "\${{ event.incident.token }}" }
  - { type: incident, hook: leak, with: { level: "\${{ number(event.incident.token) }}" } }
steps:
  - { id: note, uses: core/set, with: { a: 1 } }
`

const hooks = `hooks:
  leak: { id: "\${{ body.event_id }}", map: { incident: "\${{ body.data }}" } }
  look: { id: "\${{ body.event_id }}", map: { incident: "\${{ body.data }}" } }
  rest: { id: "\${{ body.event_id }}", map: { incident: "\${{ body.data }}" } }
`

let engines: Engines
beforeAll(async () => {
  requireBuild()
  engines = await openEngines({
    'look.yaml': runbook('look'),
    'rest.yaml': runbook('rest'),
    'leak.yaml': leak,
  })
  await appendFile(join(engines.folder, 'opsbook.yaml'), hooks)
}, 300_000)
afterAll(() => engines.close(), 60_000)

async function serve(queue?: string): Promise<{ readonly running: Running; readonly url: string }> {
  const { folder } = engines
  const env = {
    ...engines.env,
    OPSBOOK_ENGINE: 'temporal',
    ...(queue === undefined ? {} : { OPSBOOK_TASK_QUEUE: queue }),
  }
  const running = start(
    ['serve', 'look.yaml', 'rest.yaml', 'leak.yaml', '--listen', '127.0.0.1:0'],
    env,
    folder,
  )
  const said = await running.until('stdout', '\n')
  return { running, url: /http:\S+/.exec(said)?.[0] ?? '' }
}

async function stop({ child, ended }: Running): Promise<void> {
  child.kill('SIGTERM')
  const { code, stderr } = await ended
  expect(code, stderr).toBe(0)
}

function send(url: string, hook: string, id: string, incident = 'inc-1'): Promise<Response> {
  return fetch(`${url}/hooks/${hook}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ event_id: id, data: { id: incident, host: 'web-01' } }),
  })
}

async function json(...words: readonly string[]) {
  const { code, stdout, stderr } = await engines.temporal([...words, '-o', 'json'])
  expect(code, stderr).toBe(0)
  return JSON.parse(stdout)
}

test('500 deliveries of one incident to two that serve, one of which is killed in the middle: one run', async () => {
  const serving = [await serve(), await serve()]
  const answers = new Map<string, Set<string>>()
  const numbers = Array.from({ length: 500 }, (_, number) => number)
  let answered = 0
  let isKilled = false
  const sender = async (): Promise<void> => {
    for (let number = numbers.shift(); number !== undefined; number = numbers.shift()) {
      const id = `event-${number % 100}`
      for (let tries = number; !answers.has(`${number}`); tries++) {
        const { url = '' } = serving[tries % 2] ?? {}
        const answer = await send(url, 'look', id).catch(() => undefined)
        if (answer?.status !== 200) continue
        answers.set(id, (answers.get(id) ?? new Set()).add(await answer.text()))
        answered++
        break
      }
      if (answered < 200 || isKilled) continue
      isKilled = true
      serving[1]?.running.child.kill('SIGKILL')
    }
  }
  await Promise.all(Array.from({ length: 50 }, sender))
  expect(isKilled).toBe(true)
  expect(answers.size).toBe(100)
  // The same event has had the same answer each time, and all of them speak of one run.
  const starts = [...answers.values()].flatMap(([text = '', ...others]) => {
    expect(others).toEqual([])
    return JSON.parse(text).starts as { run_id?: string; because?: string }[]
  })
  expect(starts.filter(({ run_id }) => run_id !== undefined)).toHaveLength(1)
  expect(starts.filter(({ because }) => because === 'duplicate')).toHaveLength(99)
  const { events } = await json('events', '--limit', '1000')
  expect(events.map(({ event_id }: { event_id: string }) => event_id).toSorted()).toEqual(
    [...answers.keys()].toSorted(),
  )
  await expect
    .poll(async () => (await json('runs', '--runbook', 'look')).runs)
    .toMatchObject([{ status: 'succeeded', started_from: { kind: 'event', hook: 'look' } }])
  await stop(serving[0]?.running as Running)
}, 120_000)

test('a secret of an event that a mapping fails on is nowhere: not in a history, a list or a log', async () => {
  const canary = 'canary-of-an-event'
  const { running, url } = await serve()
  const post = (id: string) =>
    fetch(`${url}/hooks/leak`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ event_id: id, data: { token: canary, note: `signed in with ${canary}` } }),
    })
  const answers = [await post('l1'), await post('l2')]
  expect(answers.map(({ status }) => status)).toEqual([200, 200])
  const said = await Promise.all(answers.map((answer) => answer.text()))
  said.push((await engines.temporal(['events', 'show', 'leak/l2'])).stdout)
  for (const words of [['events'], ['events', 'show', 'leak/l2'], ['runs']])
    said.push(JSON.stringify(await json(...words)))
  expect(said.at(-2)).toMatch(/"duplicate".*"mapping_failed"/)
  const { taskQueue } = engines
  const client = await engines.client()
  for await (const text of historyTexts(client, `opsbook-events/${taskQueue}`)) said.push(text)
  await stop(running)
  said.push((await running.ended).stderr)
  expect(said.join('\n')).toContain('(masked)')
  expect(said.join('\n')).not.toContain(canary)
}, 60_000)

test('without a worker every event is answered with 503, and it is not ready', async () => {
  const { running, url } = await serve(`${engines.taskQueue}-nobody`)
  expect((await fetch(`${url}/readyz`)).status).toBe(503)
  const answer = await send(url, 'look', 'n1')
  expect(answer.status).toBe(503)
  expect(answer.headers.get('retry-after')).toBe('5')
  await stop(running)
}, 60_000)
