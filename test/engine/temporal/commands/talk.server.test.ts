import { PassThrough } from 'node:stream'
import { createActions, loadRunbook } from 'opsbook'
import { expect, test } from 'vitest'
import { systemUser } from '../../../../src/engine/record/system-user.ts'
import { beginRun, connectClient, type StartedRun } from '../../../../src/engine/temporal/index.ts'
import { answerer, claimed } from '../../../cli/support/named.ts'
import { enginesOfFile } from './open-engines.ts'

const head = 'apiVersion: opsbook/v1\n'
const files = {
  'ask.yaml': `${head}name: ask
inputs: { type: object, properties: { n: { type: integer, default: 1 } } }
steps:
  - { id: ask, uses: core/approve, with: { message: "go on?" } }
  - { id: look, uses: monit/tools/catalog, with: { target_locator: web-01 } }
finally:
  - { id: bye, uses: core/log, with: { message: bye } }
`,
  'both.yaml': `${head}name: both
steps:
  - id: both
    parallel:
      - { id: a, uses: core/approve, with: { message: "a?" } }
      - { id: b, uses: core/approve, with: { message: "b?" } }
`,
  'other.yaml': `${head}name: other
steps:
  - { id: one, uses: core/set, with: { a: 1 } }
`,
  'doubt.yaml': `${head}name: doubt
steps:
  - { id: fine, uses: core/set, with: { a: 1 } }
  - { id: wrong, uses: core/assert, with: { that: ["\${{ 1 == 2 }}"] } }
`,
}

const engines = enginesOfFile(files)

async function start(...words: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await engines.temporal(['start', ...words])
  expect({ code, stderr }).toMatchObject({ code: 0 })
  return stdout.trim()
}

/** The status in the list, as soon as it is this one. */
async function untilListed(id: string, status: string): Promise<void> {
  await expect
    .poll(async () => {
      const { stdout } = await engines.temporal(['runs', '--status', status, '-o', 'json'])
      return JSON.parse(stdout).runs.map(({ run_id }: { run_id: string }) => run_id)
    })
    .toContain(id)
}

test('Ctrl-C at a question detaches; the question stays open, and another command answers it', async () => {
  const { code, stderr } = await engines.temporal(['run', 'ask.yaml'], {
    isTerminal: true,
    keyboard: new PassThrough(),
    onWrite: (text, command) => text.includes('yes or no') && command.signal('SIGINT'),
  })
  expect(code).toBe(130)
  expect(stderr).toContain('the question stays open')
  expect(stderr).not.toContain('withdrawn')
  const [runId = ''] = /run_\w+/.exec(stderr) ?? []
  expect(await engines.temporal(['approve', runId, 'ask'])).toMatchObject({ code: 0 })
  expect((await engines.temporal(['watch', runId])).code).toBe(0)
})

test('start answers with the id alone; others answer, and the run ends', async () => {
  const id = await start('ask.yaml')
  expect(id).toMatch(/^run_\d{8}_\d{6}_\w{6}$/)
  await untilListed(id, 'waiting')
  const shown = await engines.temporal(['show', id])
  expect(shown.stdout).toContain('ask asks: go on?')
  const unknown = await engines.temporal(['approve', id, 'aks'])
  expect(unknown.code).toBe(2)
  expect(unknown.stderr).toContain('did you mean ask?')
  // The message says it all.
  expect(unknown.stderr).not.toContain('next')
  const approved = await engines.temporal(['approve', id, 'ask', '--comment', 'fine', '--by', 'somebody'])
  expect(approved).toMatchObject({ code: 0, stderr: '' })
  expect(approved.stdout).toContain(`ask of ${id} was approved by ${answerer('somebody')} (go on?)`)
  expect(approved.stdout).not.toContain('no process')
  const watched = await engines.temporal(['watch', id])
  expect(watched.code).toBe(0)
  expect(watched.stderr).toContain(`ask: approved by ${answerer('somebody')}: fine`)
  const { questions, started_by } = JSON.parse((await engines.temporal(['show', id, '-o', 'json'])).stdout)
  expect(questions).toMatchObject([{ answers: [{ by: claimed('somebody'), comment: 'fine' }] }])
  const second = await engines.temporal(['reject', id, 'ask', '--shown', questions[0].shown])
  expect(second).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`was approved by ${answerer('somebody')} at `),
  })
  expect(started_by).toEqual({ name: systemUser(), source: 'system-user', user: systemUser() })
  const late = await engines.temporal(['reject', id, 'ask'])
  expect(late.code).toBe(2)
  expect(late.stderr).toContain(`ask of ${id} was approved by somebody (claimed on the command line`)
  expect(late.stderr).toContain(`next        "opsbook show ${id}" says where it stands.`)
})

test('a run is paused, is resumed, and is cancelled with its clean-up', async () => {
  const id = await start('ask.yaml')
  await untilListed(id, 'waiting')
  expect((await engines.temporal(['pause', id])).stdout).toContain('is paused')
  await untilListed(id, 'paused')
  expect((await engines.temporal(['pause', id])).stderr).toContain('is already paused')
  expect((await engines.temporal(['unpause', id])).code).toBe(0)
  const cancelled = await engines.temporal(['cancel', id, '--comment', 'wrong host'])
  expect(cancelled.code).toBe(0)
  const watched = await engines.temporal(['watch', id])
  expect(watched.code).toBe(3)
  expect(watched.stderr).toContain('bye: bye')
  expect((await engines.temporal(['cancel', id])).stderr).toContain('has ended: it was cancelled')
  const { control_requests } = JSON.parse((await engines.temporal(['show', id, '-o', 'json'])).stdout)
  expect(control_requests.map(({ kind }: { kind: string }) => kind)).toEqual(['pause', 'unpause', 'cancel'])
})

test('a refusal says what to do next, as on the embedded engine', async () => {
  const id = await start('both.yaml')
  await untilListed(id, 'waiting')
  expect((await engines.temporal(['approve', id, 'a', '--by', 'ann'])).code).toBe(0)
  const refused = async (...words: readonly string[]): Promise<string> =>
    (await engines.temporal(words)).stderr
  expect(await refused('approve', id, 'a')).toMatch(
    /was approved by ann \(claimed on the command line, user \S+\) at .*\n {2}next +"opsbook show run_\S+" says where it stands\.\n/,
  )
  for (const words of [
    ['resume', id],
    ['decide', id, 'a', '--as', 'failed'],
  ])
    expect(await refused(...words)).toMatch(
      /RunInUse: .*\n {2}next +Wait for it to end, or end it: "opsbook cancel/,
    )
  expect((await engines.temporal(['cancel', id, '--now'])).code).toBe(0)
})

test('cancel --now leaves the clean-up out', async () => {
  const id = await start('ask.yaml')
  await untilListed(id, 'waiting')
  expect((await engines.temporal(['cancel', id, '--now'])).code).toBe(0)
  const watched = await engines.temporal(['watch', id])
  expect(watched.code).toBe(3)
  expect(watched.stderr).not.toContain('bye: bye')
})

test('run without a terminal names the command that answers; --yes answers in advance', async () => {
  const { code, stderr } = await engines.temporal(['run', 'ask.yaml'], {
    onWrite(text) {
      const [, id] = /waits for "opsbook approve (\S+) ask/.exec(text) ?? []
      if (id) void engines.temporal(['reject', id, 'ask'])
    },
  })
  expect(code).toBe(3)
  expect(stderr).toContain('no terminal to ask on')
  expect((await engines.temporal(['run', 'ask.yaml', '--yes'])).code).toBe(0)
})

test('Ctrl-C asks nothing of a run: it goes on, and is said how to get at it', async () => {
  const { code, stderr } = await engines.temporal(['run', 'ask.yaml', '--engine', 'temporal'], {
    onWrite(text, command) {
      if (text.includes('waits for "opsbook approve')) command.signal('SIGINT')
    },
  })
  expect(code).toBe(130)
  const [, id = ''] = /"opsbook watch (\S+) --engine temporal" follows it again/.exec(stderr) ?? []
  expect(stderr).toContain(`"opsbook cancel ${id} --engine temporal" cancels it`)
  await untilListed(id, 'waiting')
})

test('five hundred starts of one key at once are one run', async () => {
  const address = engines.env['TEMPORAL_ADDRESS'] ?? ''
  const client = await connectClient({ address, namespace: 'default', taskQueue: 'nobody' })
  const { plan } = loadRunbook(files['other.yaml'], createActions())
  if (!plan) throw new Error('the runbook is sound')
  const key = `many ${process.pid} ${Date.now()}`
  const begin = (): Promise<StartedRun> =>
    beginRun({ client, taskQueue: 'nobody', dataDir: 'nowhere', plan, inputs: {}, key })
  const started = await Promise.all(Array.from({ length: 500 }, begin))
  const [id = ''] = new Set(started.map(({ runId }) => runId))
  expect(started.filter(({ isJoined }) => !isJoined)).toEqual([{ runId: id, isJoined: false }])
  // The list of the server lags behind.
  await expect.poll(async () => (await client.workflow.count(`WorkflowId = '${id}'`)).count).toBe(1)
  await client.workflow.getHandle(id).terminate()
  await client.connection.close()
})

test('a later start with a key joins its run', async () => {
  const ids = await Promise.all(Array.from({ length: 5 }, () => start('other.yaml', '--id', 'ticket 1/ü')))
  expect(new Set(ids).size).toBe(1)
  const joined = await engines.temporal(['run', 'other.yaml', '--id', 'ticket 1/ü', '-o', 'json'])
  expect(JSON.parse(joined.stdout)).toMatchObject({ run_id: ids[0], status: 'succeeded' })
  const byKey = await engines.temporal(['show', 'ticket 1/ü', '-o', 'json'])
  expect(JSON.parse(byKey.stdout)).toMatchObject({ run_id: ids[0], key: 'ticket 1/ü' })
  const other = await engines.temporal(['start', 'ask.yaml', '--id', 'ticket 1/ü'])
  expect(other.code).toBe(2)
  expect(other.stderr).toContain(`belongs to ${ids[0]}, a run of the runbook other`)
})

test('runs are found and filtered as on the embedded engine', async () => {
  const id = (await engines.temporal(['run', 'doubt.yaml', '-o', 'json'])).stdout
  const { run_id } = JSON.parse(id)
  const list = async () =>
    (await engines.temporal(['runs', '--status', 'failed', '--runbook', 'doubt', '-n', '1'])).stdout
  const line = new RegExp(`^✖ ${run_id} +doubt +failed .* wrong: AssertionFailed$`, 'm')
  await expect.poll(list).toMatch(line)
  expect((await engines.temporal(['show', run_id.slice(0, -1), '-o', 'json'])).code).toBe(0)
  const typo = await engines.temporal(['show', run_id.replace(/.$/, '!')])
  expect(typo).toMatchObject({ code: 2 })
  expect(typo.stderr).toContain(`did you mean "${run_id}"?`)
})

test.each([
  [['resume', 'ticket 1/ü', '--from-copy'], '--from-copy is for the embedded engine'],
  [['resume', 'ticket 1/ü', '--skip', 'one'], 'has succeeded: nothing is left to do'],
  [['decide', 'ticket 1/ü', 'one', '--as', 'failed'], 'needs a decision: it is succeeded'],
  [['run', 'other.yaml', '--sandbox'], '--sandbox is for the embedded engine'],
  [['run', 'other.yaml', '--engine', 'temporel'], 'did you mean "temporal"?'],
])('%j is wrong usage', async (words, said) => {
  const { code, stdout, stderr } = await engines.temporal(words)
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toContain(said)
})
