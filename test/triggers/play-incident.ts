/**
 * The whole way of an incident, by processes as people have them: the sandbox sends it, `serve` starts the run, a person is
 * told and answers from another terminal, and in the end the chat is told.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { named } from '../cli/support/named.ts'
import { newFolder } from '../cli/support/opsbook.ts'
import { type Ended, root, start } from '../cli/support/process.ts'
import { startReceiver } from '../engine/notifications/receiver.ts'

const secret = 'sandbox-webhook-token'
const postMortem = '00000000000000000000000000000001'

const configuration = `hooks:
  incidents:
    auth: { type: token, header: X-Sandbox-Token, secret: env:HOOK_SECRET }
    format: incident
notify:
  - { on: [approval_waiting, run_failed, outcome_unknown], url: env:CHAT_URL }
`

/** The differences between the engines. */
export interface StoryPlace {
  /** Of every command that is to find the engine. */
  readonly env: Readonly<Record<string, string>>
  /** `serve` carries nothing out: a worker does. */
  readonly hasWorker: boolean
}

/** Incident, webhook, run, twenty tools, approval from a second terminal, export, post-mortem, notification. */
export async function playIncident(place: StoryPlace): Promise<void> {
  const chat = await startReceiver()
  const folder = await newFolder({ 'opsbook.yaml': configuration, ...(await runbooksFor(chat.url)) })
  const sandboxProcess = start(['sandbox', '--port', '0', '--no-limits'], {}, folder)
  const sandbox = urlIn(await sandboxProcess.until('stdout', '\n'))
  const env = {
    OPSBOOK_BASE_URL: sandbox,
    OPSBOOK_APP_KEY: 'sandbox-owner',
    OPSBOOK_DATA_DIR: join(folder, 'data'),
    HOOK_SECRET: secret,
    CHAT_URL: chat.url,
    ...place.env,
  }
  const startServe = () => start(['serve', 'answer_incident', '--listen', '127.0.0.1:0'], env, folder)
  const worker = place.hasWorker ? start(['worker'], env, folder) : undefined
  await worker?.until('stdout', '\n')
  const first = startServe()
  const hook = `${urlIn(await first.until('stdout', '\n'))}/hooks/incidents`
  const control = async (path: string, body?: object) => {
    const headers = { 'content-type': 'application/json' }
    const how = body === undefined ? {} : { method: 'POST', headers, body: JSON.stringify(body) }
    const answer = await fetch(`${sandbox}/_sandbox/${path}`, how)
    expect(answer.status).toBe(200)
    // biome-ignore lint/suspicious/noExplicitAny: answers of every shape are looked into
    return (await answer.json()) as any
  }

  await control('config', { webhook_url: hook })
  // Three times: a sender cannot know what has arrived.
  const sent = await control('incidents', { title: 'Checkout is slow', duplicates: 2 })
  const [{ run_id: runId }] = JSON.parse(sent.answer).starts
  const eventId: string = sent.event.event_id
  expect(sent.deliveries.map(({ answer }: { answer: string }) => answer)).toEqual(Array(3).fill(sent.answer))

  const answerFrom = async (question: number, ...more: readonly string[]): Promise<void> => {
    // What the message says, typed in a folder that knows nothing of the run.
    const [command = ''] = (chat.received[question]?.body['commands'] ?? []) as string[]
    const words = command.split(' ').slice(1)
    // It shows the fields with what they take.
    const given = words.filter((word, at) => word !== '--set' && words[at - 1] !== '--set')
    const answered = await type([...given, '--by', 'ada', ...more], place.env, await newFolder())
    expect(answered.code, answered.stderr).toBe(0)
  }
  await chat.has(1)
  expect(chat.received[0]?.body).toMatchObject({
    run_id: runId,
    step: 'which',
    message: 'Checkout is slow: which AI session worked on web-01, and which post-mortem is to be published?',
  })
  await answerFrom(0, '--set', 'session_id=sess_nested', '--set', `post_mortem_id=${postMortem}`)

  await chat.has(2)
  const question = chat.received[1]
  expect(question?.body).toMatchObject({
    kind: 'approval_waiting',
    run_id: runId,
    step: 'ask',
    message: expect.stringMatching(
      `^Checkout is slow: 20 tools were run on web-01, and 0 did not answer. Publish the post-mortem ${postMortem}\\?\nA yes permits 2 calls:`,
    ),
  })
  const operationsOf = async (): Promise<readonly string[]> =>
    (await control('requests')).requests.map(({ operation }: { operation: string }) => operation)
  const looks = ['E5', 'E5', 'E5', 'E5', 'catalog', 'E4', 'E4', 'E4', 'E6']
  expect(await operationsOf()).toEqual(looks)
  expect((await control('audit')).entries).toEqual([])

  // A person takes their time, and machines do not always last so long.
  first.child.kill('SIGKILL')
  await first.ended
  const serve = startServe()
  await serve.until('stdout', '\n')

  await answerFrom(1, '--comment', 'read it')

  await chat.has(3)
  expect(chat.received[2]?.body).toEqual({
    text: expect.stringMatching(
      `^Checkout is slow: the post-mortem ${postMortem} is published, as ada \\(user \\S+\\) said. `,
    ),
  })
  expect((await type(['watch', runId], env, folder)).code).toBe(0)
  expect(await operationsOf()).toEqual([...looks, 'E8'])
  expect((await control('audit')).entries).toMatchObject([
    { operation: 'E8', detail: { post_mortem_id: postMortem, status: 'published' } },
  ])
  const shown = JSON.parse((await type(['show', runId, '--output', 'json'], env, folder)).stdout)
  expect(shown).toMatchObject({
    status: 'succeeded',
    started_from: { kind: 'event', hook: 'incidents', event_id: eventId },
    outputs: { tools_run: 20, tools_failed: [], approved_by: named('ada') },
  })
  const record = await readFile(join(folder, 'data/runs', runId, 'session.ndjson'), 'utf8')
  expect(record).toContain('sess_nested_disk_smart')
  const ofEvent = (run: { started_from?: { event_id?: string } }): boolean =>
    run.started_from?.event_id === eventId
  // Others start runs on the same server, and it lists a run some time after it has it.
  const listed = async (): Promise<unknown[]> =>
    JSON.parse(
      (await type(['runs', '--runbook', 'answer_incident', '--output', 'json'], env, folder)).stdout,
    ).runs.filter(ofEvent)
  await expect.poll(listed).toHaveLength(1)

  sandboxProcess.child.kill('SIGTERM')
  for (const one of [serve, ...(worker ? [worker] : [])]) {
    one.child.kill('SIGTERM')
    const { code, stderr } = await one.ended
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining(secret) })
  }
}

/** The runbooks that ship, with notifications for the chat. */
async function runbooksFor(chatUrl: string): Promise<Readonly<Record<string, string>>> {
  const read = (file: string): Promise<string> => readFile(join(root, file), 'utf8')
  const [diagnose, answer] = ['runbooks/diagnose-host.yaml', 'runbooks/answer-incident.yaml'] as const
  const shipped = await read(answer)
  const mine = shipped.replace('default: ""', `default: "${chatUrl}"`)
  expect(mine).not.toBe(shipped)
  return { [diagnose]: await read(diagnose), [answer]: mine }
}

function type(
  words: readonly string[],
  env: Readonly<Record<string, string>>,
  folder: string,
): Promise<Ended> {
  return start(words, env, folder).ended
}

function urlIn(text: string): string {
  return /http:\S+/.exec(text)?.[0] ?? ''
}
