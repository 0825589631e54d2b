import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { loadRunbook } from 'opsbook'
import { describe, expect, test } from 'vitest'
import { openEventStore } from '../../src/engine/embedded/received-events/event-store.ts'
import { evaluateEvent } from '../../src/triggers/evaluate/evaluate-event.ts'
import { openSandbox } from '../sandbox/open-sandbox.ts'
import { claimed } from './support/named.ts'
import { newFolder, opsbook } from './support/opsbook.ts'
import { json as documentOf } from './support/serve.ts'

const configuration = `hooks:
  incidents:
    id: \${{ body.event_id }}
    map: { incident: "\${{ body.data }}" }
`

const runbook = `apiVersion: opsbook/v1
name: look
inputs:
  properties: { host: { type: string } }
  required: [host]
triggers:
  - type: incident
    where: \${{ event.incident.severity == 'high' }}
    dedupe-key: \${{ event.incident.id }}
    max-starts: { count: 2, per: 1h }
    with: { host: "\${{ event.incident.host }}" }
steps:
  - id: hello
    uses: core/log
    with: { message: "\${{ inputs.host }}" }
`

const incident = (id: string, more: object = {}) => ({ id, severity: 'high', host: `web-${id}`, ...more })

interface Listed {
  readonly event_id: string
  readonly starts: readonly { readonly because?: string }[]
}

/** A folder with a runbook, and events that came in before. */
async function project(events: Readonly<Record<string, object>>) {
  const folder = await newFolder({ 'opsbook.yaml': configuration, 'runbooks/look.yaml': runbook })
  const dataDir = join(folder, 'data')
  const { plan } = loadRunbook(runbook, [])
  if (!plan) throw new Error('the runbook is not valid')
  const book = openEventStore({ dataDir })
  for (const [id, data] of Object.entries(events)) {
    const body = { incident: data as never }
    const event = { hook: 'incidents', id, type: 'incident', receivedAtMs: Date.now(), body }
    await book.evaluation(
      evaluateEvent(event, { runbooks: [{ plan, file: 'look.yaml', text: runbook }], actions: [] }),
    )
  }
  await book.close()
  const run = (...words: string[]) => opsbook(words, { folder, env: { OPSBOOK_DATA_DIR: dataDir } })
  const json = (...words: string[]) => documentOf(words, folder, { OPSBOOK_DATA_DIR: dataDir })
  return { folder, run, json }
}

/** What a sandbox sends that was told nothing of the incident. Nobody takes it. */
async function sandboxIncident() {
  const sandbox = await openSandbox({ webhookUrl: 'http://127.0.0.1:9/' })
  try {
    return await sandbox.control('incidents', { retries: 0 })
  } finally {
    await sandbox.close()
  }
}

const came = {
  e1: incident('1'),
  e2: incident('1'),
  e3: incident('2', { severity: 'low' }),
  e4: { id: '3', severity: 'high' },
  e5: incident('4'),
  e6: incident('5'),
}

describe('events', () => {
  test('lists what came in, the newest first, with the decision for each runbook', async () => {
    const { run, json } = await project(came)
    const { events } = await json('events')
    expect(events.map(({ event_id, starts }: Listed) => [event_id, starts[0]?.because])).toEqual([
      ['e6', 'start_limit_reached'],
      ['e5', undefined],
      ['e4', 'mapping_failed'],
      ['e3', 'where_false'],
      ['e2', 'duplicate'],
      ['e1', undefined],
    ])
    const { stdout } = await run('events', '--limit', '2')
    expect(stdout).toMatch(
      /incidents {2}e6 +look +start_limit_reached\n.*incidents {2}e5 +look +started run_\w+\n\nthere are more/,
    )
  })

  test.each([
    [['--because', 'duplicate'], ['e2']],
    [['--started'], ['e5', 'e1']],
    [['--runbook', 'look', '--limit', '1'], ['e6']],
    [['--runbook', 'other'], []],
    [['--hook', 'other'], []],
    [['--since', '1h', '--because', 'start_limit_reached'], ['e6']],
  ])('%s', async (words, ids) => {
    const { json } = await project(came)
    const { events } = await json('events', ...words)
    expect(events.map(({ event_id }: { event_id: string }) => event_id)).toEqual(ids)
  })

  test('a runbook is known by its file, too, and one that is none is said to be none', async () => {
    const { folder, run, json } = await project(came)
    await rename(join(folder, 'runbooks/look.yaml'), join(folder, 'runbooks/look-here.yaml'))
    for (const name of ['look', 'look-here', 'look_here'])
      expect((await json('events', '--runbook', name)).events, name).toHaveLength(6)
    const { stderr } = await run('events', '--runbook', 'look-her')
    expect(stderr).toContain('there is no runbook "look-her"')
    expect(stderr).toContain('did you mean "look-here"?')
  })

  test('a hook that is none is said to be none', async () => {
    const { run } = await project(came)
    expect(await run('events', '--hook', 'incident')).toMatchObject({
      code: 0,
      stdout: 'no event matches\n',
      stderr: expect.stringContaining(
        'there is no hook "incident" in opsbook.yaml; did you mean "incidents"?',
      ),
    })
    expect(await run('events', '--hook', 'incidents', '--because', 'paused')).toMatchObject({ stderr: '' })
  })

  test('a reason that is none', async () => {
    const { run } = await project({})
    expect(await run('events', '--because', 'dupe')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('known: where_false'),
    })
  })
})

test('events show says why, where and on what values', async () => {
  const { run, json } = await project(came)
  expect(await json('events', 'show', 'e4')).toMatchObject({
    event_id: 'e4',
    body: { incident: came.e4 },
    starts: [
      {
        because: 'mapping_failed',
        details: {
          path: 'triggers[0].with.host',
          line: 11,
          column: 24,
          expression: 'event.incident.host',
          values: { 'event.incident': came.e4 },
        },
      },
    ],
  })
  const { stdout } = await run('events', 'show', 'incidents/e2')
  expect(stdout).toMatch(
    /look trigger 1 {2}duplicate\n {2}the key "1" has started a run before\n {2}because of run_/,
  )
  expect((await run('events', 'show', 'e2', '--hook', 'incidents')).stdout).toBe(stdout)
  expect((await run('events', 'show', 'e2', '--hook', 'others')).stderr).toContain('no event others/e2')
  expect(await run('events', 'show', 'e99')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('there is no event e99'),
  })
})

describe('events test', () => {
  test('what the sandbox sends where nothing is said starts the runbook that ships for it', async () => {
    const { folder, json } = await project({})
    const { event } = await sandboxIncident()
    await writeFile(join(folder, 'incident.json'), JSON.stringify(event))
    const hooks = {
      incidents: {
        auth: { type: 'token', header: 'X-Sandbox-Token', secret: 'env:TOKEN' },
        format: 'incident',
      },
    }
    await writeFile(join(folder, 'opsbook.yaml'), JSON.stringify({ hooks }))
    const { decisions } = await json('events', 'test', 'diagnose-host', '--event', 'incident.json')
    expect(decisions).toMatchObject([
      { runbook: 'diagnose_host', would_start: true, inputs: { host: 'web-01' } },
      { would_start: false, because: 'where_false' },
    ])
  })

  test('shows the decision and the inputs, and starts nothing', async () => {
    const { folder, run, json } = await project({ e1: incident('1') })
    const before = await json('events')
    await writeFile(join(folder, 'new.json'), JSON.stringify({ event_id: 'x', data: incident('9') }))
    await writeFile(join(folder, 'known.json'), JSON.stringify({ event_id: 'y', data: incident('1') }))
    const inputs = { host: 'web-9' }
    const decided = await json('events', 'test', 'look', '--event', 'new.json')
    expect(decided).toMatchObject({
      hook: 'incidents',
      event_id: 'x',
      decisions: [{ would_start: true, inputs }],
    })
    expect(decided.decisions[0].run_id).toBeUndefined()
    expect((await run('events', 'test', 'look', '--event', 'new.json')).stdout).toContain('would start a run')
    const again = await json('events', 'test', 'look', '--event', 'known.json', '--hook', 'incidents')
    expect(again.decisions).toMatchObject([{ would_start: false, because: 'duplicate' }])
    expect(await json('events')).toEqual(before)
    expect((await json('runs')).runs).toHaveLength(1)
  })

  test('reads what serve would read: a mark of UTF-8, and each digit', async () => {
    const { folder, json } = await project({})
    await writeFile(
      join(folder, 'event.json'),
      `\ufeff{"event_id":"9007199254740993","data":{"n":9007199254740993}}`,
    )
    expect(await json('events', 'test', 'look', '--event', 'event.json')).toMatchObject({
      event_id: '9007199254740993',
      event: { incident: { n: '9007199254740993' } },
    })
  })

  test('shows nothing that is called a secret', async () => {
    const { folder, run, json } = await project({})
    const tokens = runbook
      .replace('host: { type: string }', 'host: { type: string }, token: { type: string }')
      .replace('with: { host:', 'with: { token: "${{ event.incident.token }}", host:')
    await writeFile(join(folder, 'runbooks/look.yaml'), tokens)
    const data = incident('9', { token: 'hunter2hunter2' })
    await writeFile(join(folder, 'event.json'), JSON.stringify({ event_id: 'x', data }))
    const words = ['events', 'test', 'look', '--event', 'event.json']
    expect(await json(...words)).toMatchObject({
      event: { incident: { token: '(masked)' } },
      decisions: [{ would_start: true, inputs: { token: '(masked)' } }],
    })
    expect((await run(...words)).stdout).not.toContain('hunter2')
  })

  test.each([
    ['no JSON', '{', [], 'event.json is not JSON'],
    ['Latin-1', Buffer.from('{"event_id":"\xe9"}', 'latin1'), [], 'event.json is not UTF-8'],
    ['deep JSON', `${'['.repeat(101)}${']'.repeat(101)}`, [], 'event.json is nested deeper than 100'],
    ['a body without what the id is made of', '{}', [], 'the event would be refused'],
    ['another hook', '{}', ['--hook', 'other'], 'there is no hook "other"'],
  ])('%s', async (_, text, words, says) => {
    const { folder, run } = await project({})
    await writeFile(join(folder, 'event.json'), text)
    const result = await run('events', 'test', 'look', '--event', 'event.json', ...words)
    expect(result).toMatchObject({ code: 2, stderr: expect.stringContaining(says) })
  })
})

test('triggers pause stops all starting, and unpause allows it again', async () => {
  const { folder, run, json } = await project({})
  await writeFile(join(folder, 'event.json'), JSON.stringify({ event_id: 'x', data: incident('9') }))
  const decide = async () =>
    (await json('events', 'test', 'look', '--event', 'event.json')).decisions[0].because
  expect(await run('triggers', 'unpause')).toMatchObject({ code: 0 })
  expect(await json('triggers', 'pause', '--by', 'alex', '--comment', 'why')).toMatchObject({
    paused: { by: claimed('alex'), comment: 'why' },
  })
  expect(await decide()).toBe('paused')
  // Again, too, should the first one have stopped halfway.
  const again = await run('triggers', 'pause')
  expect(again.code).toBe(0)
  expect(again.stdout + again.stderr).toMatch(/already paused, by alex .* since [\d-]{10} [\d:]{8}Z/)
  expect((await run('events')).stderr).toMatch(/paused by alex .* since [\d-]{10} [\d:]{8}Z/)
  expect(await run('triggers', 'unpause')).toMatchObject({ code: 0 })
  expect(await decide()).toBeUndefined()
})

test('prune removes events with the runs of their age', async () => {
  const { run, json } = await project(came)
  expect(await json('prune', '--older-than', '0s', '--dry-run')).toMatchObject({ events: 6 })
  expect(await json('prune', '--older-than', '0s')).toMatchObject({ events: 6 })
  expect((await run('events')).stdout).toBe('no event matches\n')
})
