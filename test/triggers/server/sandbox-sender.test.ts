/** What the sandbox sends, held against a hook of `serve` and a record on disk. */
import { loadRunbook } from 'opsbook'
import { expect, onTestFinished, test } from 'vitest'
import { RunbookError } from '../../../src/core/run-error.ts'
import { openEventStore } from '../../../src/engine/embedded/received-events/event-store.ts'
import { newFolder } from '../../cli/support/opsbook.ts'
import { openSandbox } from '../../sandbox/open-sandbox.ts'
import { secret, serveHooks, signedHook } from './serve-hooks.ts'

const runbook = `apiVersion: opsbook/v1
name: look
triggers:
  - type: incident
    where: \${{ event.data.status == 'triggered' }}
    dedupe-key: \${{ event.data.id }}
steps:
  - { id: hello, uses: core/log, with: { message: hello } }
`

interface Sent {
  readonly event: { readonly event_id: string; readonly data: { readonly status: string } }
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
  const hooks = await serveHooks([signedHook], {
    runbooks: [{ plan, file: 'look.yaml', text: runbook }],
    evaluation: (evaluation) =>
      left-- > 0 ? Promise.reject(new RunbookError('DataDirUnusable', 'full')) : book.evaluation(evaluation),
  })
  const sandbox = await openSandbox({ webhookUrl: `${hooks.url}/hooks/signed`, webhookSecret: secret })
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
  const sent = await send({ updates: [{ title: 'Worse' }, { status: 'resolved' }], reordered: true })
  expect(sent.map(({ event }) => event.data.status)).toEqual(['resolved', 'triggered', 'triggered'])
  expect(sent.map((one) => startsOf(one)[0]?.because)).toEqual(['where_false', undefined, 'duplicate'])
})

test.each([
  { about: 'late by ten minutes', request: { late_ms: 600_000 } },
  { about: 'of another year', request: { timestamp: 1_700_000_000 } },
  { about: 'signed with another key', request: { forged: 'key' } },
  { about: 'changed after it was signed', request: { forged: 'body' } },
  { about: 'not signed', request: { forged: 'unsigned' } },
])('an event $about is refused once and for all', async ({ request }) => {
  const { send, book } = await connect()
  expect(await send(request)).toMatchObject([{ status: 401, attempts: [{ status: 401 }] }])
  expect(await book.listEvents()).toEqual([])
})

test('an event that is late by four minutes is taken', async () => {
  const { send } = await connect()
  expect(await send({ late_ms: 240_000 })).toMatchObject([{ status: 200 }])
})
