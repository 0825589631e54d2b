import { checkInputs, createActions, defineAction, openRunReader, startRun } from 'opsbook'
import { expect, it } from 'vitest'
import { sentText } from '../../../src/engine/attempt/sent-text.ts'
import { systemIdentity } from '../../../src/engine/record/system-user.ts'
import { compile } from '../support/run-runbook.ts'
import { createStage } from './support/stage.ts'

const actions = createActions([
  ...(['read', 'idempotent', 'create'] as const).map((safety) =>
    defineAction({
      name: `desk/${safety}`,
      summary: 'A desk',
      safety,
      input: {
        type: 'object',
        additionalProperties: false,
        properties: {
          name: { type: 'string' },
          login: { type: 'object', properties: { user: { type: 'string' }, pin: { type: 'string' } } },
          keys: { type: 'object' },
          more: { type: 'string' },
        },
      },
      output: { type: 'object' },
      sensitiveInput: ['login.pin', 'keys.*'],
      run: () => ({ done: true }),
    }),
  ),
])

it('keeps who started a run, and what each call was sent with: no secret, nothing sensitive', async () => {
  const stage = createStage()
  const canary = 'canary-0000-4711'
  const plan = compile(
    {
      secrets: ['pin'],
      inputs: { type: 'object', additionalProperties: true },
      steps: [
        { id: 'read', uses: 'desk/read', with: { name: 'one' } },
        {
          id: 'put',
          uses: 'desk/idempotent',
          with: { name: 'two', login: { user: 'ann', pin: '${{ secrets.pin }}' } },
        },
        {
          id: 'make',
          uses: 'desk/create',
          with: { name: 'three', keys: { a: '${{ secrets.pin }}' } },
        },
        { id: 'file', uses: 'core/write', with: { content: 'hello' }, 'save-as': 'hello.txt' },
        { id: 'large', uses: 'desk/create', with: { more: '${{ inputs.more }}' }, 'save-as': 'large.json' },
      ],
    },
    actions,
  )
  const handle = await startRun({
    plan,
    actions,
    inputs: { more: 'x'.repeat(70_000) },
    dataDir: stage.dataDir,
    connect: () => Promise.reject(new Error('no operation is called')),
    checkInputs,
    secrets: { resolve: async () => canary },
  })
  const { run_id, status, error } = await handle.result
  expect(status, JSON.stringify(error)).toBe('succeeded')
  const reader = stage.reader()
  expect(reader.listRuns()[0]?.started_by).toEqual(systemIdentity())
  const sent = [...reader.readAttempts(run_id)].map((attempt) => [attempt.path, attempt.sent])
  expect(sent).toEqual([
    ['read', { input: { name: 'one' }, is_read: true }],
    ['put', { input: { name: 'two', login: { user: 'ann', pin: '${{ secrets.pin }}' } } }],
    ['make', { input: { name: 'three', keys: { a: '${{ secrets.pin }}' } } }],
    ['file', undefined],
    ['large', { bytes: 70_044, save_as: 'large.json' }],
  ])
  expect(JSON.stringify(stage.rows('SELECT * FROM attempts'))).not.toContain(canary)
})

it('keeps it with the intent: it is there while the answer is not', async () => {
  const stage = createStage()
  let seen: unknown
  stage.answer = () => {
    const reader = openRunReader(stage.dataDir)
    const run = reader?.listRuns()[0]
    seen = [...(reader?.readAttempts(run?.run_id ?? '') ?? [])].map(({ status, sent }) => ({ status, sent }))
    reader?.close()
    return {}
  }
  await stage.run('  - { id: make, uses: note/make, with: { name: one } }\n')
  expect(seen).toEqual([{ status: 'begun', sent: { input: { name: 'one' } } }])
})

it('masks sensitive arguments wherever they come from', () => {
  const request = {
    path: 'make',
    attempt: 1,
    action: 'desk/create',
    input: {
      name: 'one',
      login: { user: 'ann', pin: 4711 },
      keys: [{ a: 'b' }, { a: { c: 'd' } }, { a: null }],
    },
    connection: 'staging',
  }
  const description = { name: 'desk/create', sensitiveInput: ['login.pin', 'keys.*.a'] } as never
  expect(JSON.parse(sentText(request, description, 'create') ?? '')).toEqual({
    input: {
      name: 'one',
      login: { user: 'ann', pin: '(masked)' },
      keys: [{ a: '(masked)' }, { a: '(masked)' }, { a: null }],
    },
    connection: 'staging',
  })
})
