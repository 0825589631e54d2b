/** What the sandbox sends, held against a hook of `serve` and a record on disk. */
import { loadRunbook } from 'opsbook'
import { expect, onTestFinished, test } from 'vitest'
import { RunbookError } from '../../../src/core/run-error.ts'
import { openEventStore } from '../../../src/engine/embedded/received-events/event-store.ts'
import type { Hook } from '../../../src/triggers/webhooks/read-delivery.ts'
import { newFolder } from '../../cli/support/opsbook.ts'
import { openSandbox } from '../../sandbox/open-sandbox.ts'
import { serveHooks } from './serve-hooks.ts'

const runbook = `apiVersion: opsbook/v1
name: look
triggers:
  - type: incident
    where: \${{ event.incident.status == 'triggered' }}
    dedupe-key: \${{ event.incident.id }}
steps:
  - { id: hello, uses: core/log, with: { message: hello } }
`

interface Sent {
  readonly event: { readonly event_id: string; readonly incident: { readonly progress: string } }
  readonly status?: number
  readonly answer?: string
  readonly attempts: readonly object[]
}

/** A sandbox that sends to a hook; the first events cannot be recorded. */
async function connect({ failing = 0 } = {}) {
  const dataDir = await newFolder()
  const book = openEventStore({ dataDir })
  const { plan } = loadRunbook(runbook, [])
  if (!plan) throw new Error('the runbook is not valid')
  let left = failing
  const hook: Hook = {
    name: 'incidents',
    event: 'incident',
    format: 'incident',
    auth: { type: 'token', header: 'X-Sandbox-Token', secrets: ['word'] },
  }
  const hooks = await serveHooks([hook], {
    runbooks: [{ plan, file: 'look.yaml', text: runbook }],
    evaluation: (evaluation) =>
      left-- > 0 ? Promise.reject(new RunbookError('DataDirUnusable', 'full')) : book.evaluation(evaluation),
  })
  const sandbox = await openSandbox({ webhookUrl: `${hooks.url}/hooks/incidents`, webhookToken: 'word' })
  onTestFinished(async () => {
    await sandbox.close()
    await book.close()
  })
  const send = async (request: object): Promise<readonly Sent[]> =>
    (await sandbox.control('incidents', { retry_delay_ms: 1, ...request })).deliveries
  return { send, book }
}

function startsOf({ answer = '' }: Sent): readonly { readonly run_id?: string; readonly because?: string }[] {
  return JSON.parse(answer).starts
}

test('an event starts a run, and comes again until it is recorded', async () => {
  const { send, book } = await connect({ failing: 2 })
  const [sent] = await send({})
  expect(sent).toMatchObject({ attempts: [{ status: 503 }, { status: 503 }, { status: 200 }] })
  expect(await book.listEvents()).toMatchObject([{ event_id: sent?.event.event_id, deliveries: 1 }])
})

test('duplicates, several at once: one run, and the same answer to all', async () => {
  const { send, book } = await connect()
  const sent = await send({ duplicates: 49, at_once: 10 })
  expect(sent).toHaveLength(50)
  expect(new Set(sent.map(({ answer }) => answer)).size).toBe(1)
  expect(await book.listEvents()).toMatchObject([{ deliveries: 50, starts: [{ runbook: 'look' }] }])
})

test('events of one incident in the wrong order: one run', async () => {
  const { send } = await connect()
  const sent = await send({ updates: [{ title: 'Worse' }, { status: 'closed' }], reordered: true })
  expect(sent.map(({ event }) => event.incident.progress)).toEqual(['Closed', 'Triggered', 'Triggered'])
  expect(sent.map((one) => startsOf(one)[0]?.because)).toEqual(['where_false', undefined, 'duplicate'])
})

test.each(['token', 'missing'])(
  'an event with a forged token, %s, is refused once and for all',
  async (forged) => {
    const { send, book } = await connect()
    expect(await send({ forged })).toMatchObject([{ status: 401, attempts: [{ status: 401 }] }])
    expect(await book.listEvents()).toEqual([])
  },
)

test('the button has an event of its own, with the person and the alerts', async () => {
  const { send, book } = await connect()
  await send({ id: 'inc_7', event_id: 'evt_1' })
  expect(await send({ id: 'inc_7', event_id: 'evt_2', button: true })).toMatchObject([{ status: 200 }])
  expect(await book.readEvent('incidents/evt_2')).toMatchObject({
    body: { type: 'i_custom', person: { person_name: 'Ada' }, incident: { id: 'inc_7' } },
    starts: [{ because: 'duplicate' }],
  })
})
