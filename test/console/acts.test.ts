/** What a person does through the console: what was shown is answered, or nothing is. */
import { expect, test } from 'vitest'
import { expectRefused, type OpenConsole, openConsole, type Refusal } from './support/open-console.ts'
import { type Recorded, record } from './support/recorded.ts'

interface Entry {
  readonly run_id: string
  readonly step: string
  readonly count: number
  readonly shown: string
  readonly kind: string
}

interface Asking {
  readonly recorded: Recorded
  readonly console: OpenConsole
  readonly runId: string
  /** What the run asks now. */
  entries(): Promise<readonly Entry[]>
  /** The question of two hosts. */
  readonly hosts: Entry
  readonly ended: Promise<{ readonly code: number; readonly stdout: string }>
}

/** A console beside a run that asks. */
async function stage(roles: readonly ('operator' | 'approver' | 'admin')[] = ['admin']): Promise<Asking> {
  const recorded = await record()
  const { ended } = await recorded.asking()
  const console = await openConsole(recorded.dataDir, { folder: recorded.folder, roles })
  const { waiting } = await console.json('/api/v1/inbox')
  const hosts = waiting.find(({ step }: Entry) => step === 'hosts/ok')
  if (hosts === undefined) throw new Error('nothing is asked')
  const runId = hosts.run_id
  const entries = async () => (await console.json(`/api/v1/runs/${runId}/inbox`)).waiting
  return { recorded, console, runId, hosts, entries, ended }
}

/** Waits until the run asks its last question. */
async function lastQuestion({ entries }: Asking): Promise<Entry> {
  await expect.poll(async () => (await entries()).map(({ step }) => step)).toEqual(['which'])
  const [which] = await entries()
  return which as Entry
}

test('a person answers by JSON: first all items together, then a value', async () => {
  const asking = await stage(['approver'])
  const { console, runId, hosts, recorded, ended } = asking
  const answers = `/api/v1/runs/${runId}/answers`
  const { step, shown } = hosts
  const by = { name: 'ada', source: 'console', verified: true }
  expect(await console.act(answers, { step, shown, approved: true, comment: 'go' })).toEqual([
    200,
    {
      run_id: runId,
      status: 'waiting',
      answers: [0, 1].map((n) => ({ step: `hosts[${n}]/ok`, kind: 'settled', by, count: 1, needed: 1 })),
    },
  ])
  const which = await lastQuestion(asking)
  expect(await console.act(answers, { ...pick(which), approved: true, value: { size: 9 } })).toMatchObject([
    400,
    { code: 'InvalidInput', detail: expect.stringContaining('answer.size: must be at most 5') },
  ])
  const right = await console.post(answers, { ...pick(which), approved: true, value: { size: 3 } })
  expect(right.status).toBe(200)
  expect(await ended).toMatchObject({ code: 0 })
  const { questions } = await recorded.document('show', runId)
  expect(questions.flatMap(({ answers }: { readonly answers: object }) => answers)).toEqual([
    expect.objectContaining({ approved: true, by, comment: 'go' }),
    expect.objectContaining({ approved: true, by, comment: 'go' }),
    expect.objectContaining({ approved: true, by, value: { size: 3 } }),
  ])
})

test('what has changed since it was shown is refused with what is asked now, and nothing is recorded', async () => {
  const { console, recorded, runId, hosts, entries } = await stage()
  expect(await recorded.command('approve', runId, 'hosts[0]/ok')).toMatchObject({ code: 0 })
  const sent = { ...pick(hosts), approved: true }
  const { status, headers, text } = await console.post(`/api/v1/runs/${runId}/answers`, sent)
  expect([status, headers['content-type']]).toEqual([409, 'application/problem+json; charset=utf-8'])
  const [left] = await entries()
  expect(JSON.parse(text)).toMatchObject({
    code: 'InvalidInput',
    detail: expect.stringContaining('have changed or were answered since, so none was answered'),
    waiting: [{ step: 'hosts/ok', count: 1, shown: left?.shown }],
  })
  const form = { ...pick(hosts), back: 'inbox', do: 'reject' }
  const page = await console.send(`/runs/${runId}/answers`, form)
  expect([page.status, page.text]).toEqual([
    409,
    expect.stringMatching(/<html[\s\S]*role="alert">Nothing was recorded/),
  ])
  expect(await entries()).toEqual([left])
})

test('of two people who answer at once, one is told that the other was faster', async () => {
  const { console, runId, recorded, entries } = await stage()
  await recorded.command('approve', runId, 'hosts[0]/ok')
  const [left] = await entries()
  const send = (approved: boolean) =>
    console.act(`/api/v1/runs/${runId}/answers`, { ...pick(left as Entry), approved })
  const [yes, no] = await Promise.all([send(true), send(false)])
  const [won, lost, word] = yes[0] === 200 ? [yes, no, 'approved'] : [no, yes, 'rejected']
  expect(won[0]).toBe(200)
  expect(lost).toMatchObject([409, { detail: expect.stringMatching(`was ${word} by ada`) }])
})

test('two people who cancel at once do not abort the clean-up', async () => {
  const { runId, recorded } = await stage()
  let recording = 0
  const { post } = await openConsole(recorded.dataDir, {
    roles: ['operator'],
    // Whoever does not wait for the other reads the run before the other's request is recorded.
    through: (engine) => ({
      ...engine,
      async requestControl(id, request) {
        recording++
        for (let passes = 0; passes < 100 && recording < 2; passes++) await new Promise(setImmediate)
        return engine.requestControl(id, request)
      },
    }),
  })
  const sent = [1, 2].map(() => post(`/api/v1/runs/${runId}/cancel`, { shown: 0 }))
  expect((await Promise.all(sent)).map(({ status }) => status).toSorted()).toEqual([200, 409])
})

test('a form leads back to its page, or shows what is wrong with its fields as they were filled in', async () => {
  const asking = await stage(['approver'])
  const { console, runId, hosts, ended } = asking
  const address = `/runs/${runId}/answers`
  const sent = await console.send(address, { ...pick(hosts), back: 'inbox', do: 'approve', comment: '' })
  expect([sent.status, sent.headers.location]).toEqual([303, '/inbox'])
  const which = await lastQuestion(asking)
  for (const [size, words] of [
    ['9', `which of ${runId}: answer.size: must be at most 5`],
    ['[', 'answer.size: '],
    ['', `which of ${runId}: answer`],
  ] as const) {
    const form = { ...pick(which), back: 'run', do: 'answer', 'set:size': size, comment: 'all "of" <it>' }
    const page = await console.send(address, form)
    expect([size, page.status, page.headers['content-type']]).toEqual([size, 400, 'text/html; charset=utf-8'])
    expect(page.text).toContain(`role="alert">Nothing was recorded: ${words}`)
    expect(page.text).toContain('value="all &quot;of&quot; &lt;it>"')
  }
  const last = await console.send(address, {
    ...pick(which),
    back: 'https://evil.example',
    do: 'answer',
    'set:size': '3',
  })
  expect([last.status, last.headers.location]).toEqual([303, `/runs/${runId}`])
  expect(await ended).toMatchObject({ code: 0 })
})

const word = { step: 'x', shown: '1-0123456789' }
const refusals: readonly Refusal[] = [
  ['RUN/answers', { step: 'x', shown: 'guessed', approved: true }, 400, 'InvalidUsage'],
  ['RUN/answers', { step: 'x', approved: true }, 400, 'InvalidUsage'],
  ['RUN/answers', word, 400, 'InvalidUsage'],
  ['RUN/answers', { ...word, approved: true, by: 'bob' }, 400, 'InvalidUsage'],
  ['RUN/answers', { ...word, approved: true, comment: 'x'.repeat(4001) }, 400, 'InvalidUsage'],
  ...[1, 0, 'true', null, [true], ['true']].map(
    (approved): Refusal => ['RUN/answers', { ...word, approved }, 400, 'InvalidUsage'],
  ),
  ['RUN/answers', { ...word, step: 'which', approved: true }, 409, 'InvalidInput'],
  ['RUN/cancel', {}, 400, 'InvalidUsage'],
  ['RUN/cancel', { shown: -1 }, 400, 'InvalidUsage'],
  ['RUN/cancel', { shown: null }, 400, 'InvalidUsage'],
  ['RUN/cancel', { shown: '0' }, 400, 'InvalidUsage'],
  ['RUN/pause', { shown: 0, kind: 'cancel' }, 400, 'InvalidUsage'],
  ['none/cancel', { shown: 0 }, 404, 'RunNotFound'],
  ['latest/cancel', { shown: 0 }, 404, 'RunNotFound'],
]

test('what names nothing that was shown is refused, and nothing is recorded', async () => {
  const { console, runId, recorded } = await stage()
  await expectRefused(
    console,
    refusals.map(([act, ...others]) => [`/api/v1/runs/${act.replace('RUN', runId)}`, ...others]),
  )
  for (const form of [{}, { shown: 'x' }, { shown: ['0', '0'] }]) {
    const { status, headers } = await console.send(`/runs/${runId}/cancel`, form)
    expect([form, status, headers['content-type']]).toEqual([form, 400, 'text/html; charset=utf-8'])
  }
  expect(await recorded.document('show', runId)).toMatchObject({ status: 'waiting', control_requests: [] })
  expect(console.defects).toEqual([])
})

test('a run is paused, continued and cancelled, each as it was shown', async () => {
  const { console, runId, recorded, ended } = await stage(['operator'])
  const inbox = await console.get('/inbox', { accept: 'text/html' })
  expect(inbox.text).toContain('To answer, you need the role approver. You have operator.')
  expect(inbox.text).not.toContain('value="approve"')
  const send = (act: string, shown: number) =>
    console.act(`/api/v1/runs/${runId}/${act}`, { shown, comment: 'because' })
  const status = async () => (await console.json(`/api/v1/runs/${runId}`)).status
  const by = { name: 'ada', source: 'console', verified: true }
  expect(await send('unpause', 0)).toEqual([
    409,
    expect.objectContaining({ detail: expect.stringContaining('is not paused') }),
  ])
  expect(await send('pause', 0)).toEqual([200, { run_id: runId, kind: 'pause', by }])
  await expect.poll(status).toBe('paused')
  // Somebody who has not seen that.
  expect(await send('cancel', 0)).toEqual([
    409,
    expect.objectContaining({
      detail: expect.stringContaining(
        'was sent another request since it was shown: "pause" by ada (console)',
      ),
      run: expect.objectContaining({
        status: 'paused',
        control_requests: [expect.objectContaining({ kind: 'pause' })],
      }),
    }),
  ])
  expect(await send('unpause', 1)).toMatchObject([200, {}])
  await expect.poll(status).toBe('waiting')
  const form = await console.send(`/runs/${runId}/cancel`, { shown: '2', comment: 'enough' })
  expect([form.status, form.headers.location]).toEqual([303, `/runs/${runId}`])
  expect(await ended).toMatchObject({ code: 3 })
  expect(await send('cancel', 3)).toEqual([
    409,
    expect.objectContaining({ detail: expect.stringContaining('has ended') }),
  ])
  const { control_requests } = await recorded.document('show', runId)
  expect(control_requests).toMatchObject([
    { kind: 'pause', by, comment: 'because' },
    { kind: 'unpause', by },
    { kind: 'cancel', by, comment: 'enough' },
  ])
})

function pick({ step, shown }: Entry): { readonly step: string; readonly shown: string } {
  return { step, shown }
}

test('a question of a run that no process executes says how the run continues, before the answer and after it', async () => {
  const recorded = await record()
  const { interrupt } = await recorded.asking()
  await interrupt()
  const console = await openConsole(recorded.dataDir, { folder: recorded.folder, roles: ['admin'] })
  const { waiting } = await console.json('/api/v1/inbox')
  const { run_id, step, shown } = waiting.find((entry: Entry) => entry.step === 'hosts/ok')
  const page = async (path: string) => (await console.get(path, { accept: 'text/html' })).text
  const before =
    /No process executes the run: after the answer, a <a href="[^"]*\/resume">resume<\/a> continues it/
  for (const path of ['/', '/inbox', `/runs/${run_id}`]) expect(await page(path)).toMatch(before)
  const fields = { step, shown, back: 'inbox', do: 'approve', comment: '' }
  const answered = await console.send(`/runs/${run_id}/answers`, fields)
  expect([answered.status, answered.headers.location]).toEqual([303, `/runs/${run_id}`])
  expect(await page(`/runs/${run_id}`)).toMatch(
    /No process executes the run. A <a [^>]*>resume<\/a> continues it/,
  )
})
