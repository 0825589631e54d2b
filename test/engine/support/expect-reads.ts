import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect } from 'vitest'
import type { JsonObject } from '../../../src/core/json.ts'
import type { Engine } from '../../../src/engine/index.ts'
import { createRunView } from '../../../src/view/run/index.ts'

/** A runbook that writes a file, one in a folder and an empty one, and has a loop. */
export const readRunbook: JsonObject = {
  steps: [
    { id: 'one', uses: 'core/write', with: { content: '# Report' }, 'save-as': 'report.md' },
    { id: 'two', uses: 'core/write', with: { content: 'deep' }, 'save-as': 'deep/ünï code.txt' },
    { id: 'three', uses: 'core/write', with: { content: '' }, 'save-as': 'empty.txt' },
    {
      id: 'a',
      'for-each': { items: [1, 2, 3] },
      steps: [{ id: 'b', uses: 'core/log', with: { message: 'hi' } }],
    },
  ],
}

const hostile = [
  '',
  '.',
  '..',
  '../report.md',
  './report.md',
  'deep',
  'deep/../report.md',
  'REPORT.md',
  'report.md\0',
  '/etc/passwd',
  '../../opsbook.db',
]

/** Expects of the record of a run of this runbook its text, its files by their names and no other file, and its events. */
export async function expectReads(engine: Engine, runId: string): Promise<void> {
  const { artifacts_dir = '', plan } = (await engine.readRun(runId)) ?? {}
  expect(plan?.text).toContain('"save-as":"report.md"')
  const { kept_from: _, ...whole } = (await engine.readRun(runId)) ?? expect.fail()
  expect(whole.steps.length).toBeGreaterThan(3)
  expect(await engine.readRun(runId, { isWithoutSteps: true })).toEqual({ ...whole, steps: [] })
  const { run_id, status, questions, resumes } = (await engine.readRunState(runId)) ?? expect.fail()
  expect(whole).toMatchObject({ run_id, status, questions, resumes })
  const all = [...(await engine.readEvents(runId))]
  const inside = (event: object): boolean =>
    !('path' in event) || event.path === 'a[1]' || String(event.path).startsWith('a[1]/')
  expect([...(await engine.readEvents(runId, { inside: 'a[1]' }))]).toEqual(
    all.filter(({ event }) => inside(event)),
  )
  const [, second] = all
  expect([...(await engine.readEvents(runId, { afterSeq: second?.seq ?? 0 }))]).toEqual(all.slice(2))
  expect([...(await engine.readEvents(runId, { inside: 'a[9]' }))]).toEqual(
    all.filter(({ event }) => !('path' in event)),
  )
  await expectViewed(engine, runId)
  const read = async (name: string): Promise<unknown> => {
    const found = await engine.readFile(runId, name)
    return found && { file: found.file, bytes: found.bytes, text: await text(found.content) }
  }
  const report = { file: 'report.md', bytes: 8, text: '# Report' }
  expect(await read('report.md')).toEqual(report)
  expect(await read('deep/ünï code.txt')).toEqual({ file: 'deep/ünï code.txt', bytes: 4, text: 'deep' })
  expect(await read('empty.txt')).toEqual({ file: 'empty.txt', bytes: 0, text: '' })
  for (const name of [...hostile, join(artifacts_dir, 'report.md')])
    expect(await read(name), name).toBeUndefined()
  for (const id of ['run_none', `../runs/${runId}`, '..'])
    expect(await engine.readFile(id, 'report.md'), id).toBeUndefined()
  // What has become a link since, or is inside one, is not followed.
  writeFileSync(join(artifacts_dir, '..', 'secret.txt'), 'secret')
  rmSync(join(artifacts_dir, 'report.md'))
  symlinkSync(join(artifacts_dir, '..', 'secret.txt'), join(artifacts_dir, 'report.md'))
  rmSync(join(artifacts_dir, 'deep'), { recursive: true })
  mkdirSync(join(artifacts_dir, '..', 'other'))
  writeFileSync(join(artifacts_dir, '..', 'other', 'ünï code.txt'), 'secret')
  symlinkSync(join(artifacts_dir, '..', 'other'), join(artifacts_dir, 'deep'))
  expect(await read('report.md')).toBeUndefined()
  expect(await read('deep/ünï code.txt')).toBeUndefined()
  rmSync(join(artifacts_dir, 'empty.txt'))
  expect(await read('empty.txt')).toBeUndefined()
}

/** Expects that the view of the recorded events says of each step what its record says. */
async function expectViewed(engine: Engine, runId: string): Promise<void> {
  const run = await engine.readRun(runId)
  if (!run) throw new Error(`there is no ${runId}`)
  const view = createRunView(run)
  for (const recorded of await engine.readEvents(runId)) view.take(recorded)
  const { head, nodes } = view.view(Date.parse(run.ended_at ?? ''))
  expect(head).toMatchObject({ status: run.status, runbook: run.runbook, begins: 1 })
  const seen = nodes
    .filter(({ kind }) => kind !== 'item')
    .map(({ path, status, attempts }) => ({ path, status, attempts }))
  const recorded = run.steps.map(({ path, status, attempts }) => ({ path, status, attempts }))
  expect(seen.toSorted(byPath)).toEqual(recorded.toSorted(byPath))
  expect(nodes.find(({ path }) => path === 'a')?.loop).toMatchObject({ total: 3, done: 3, cells: '3s' })
  expect(view.items('a', 0, { limit: 2 })).toMatchObject({
    items: [
      { path: 'a[0]', item: '1', status: 'succeeded' },
      { path: 'a[1]', item: '2', status: 'succeeded' },
    ],
    next: 1,
  })
}

const byPath = (one: { readonly path: string }, other: { readonly path: string }): number =>
  one.path < other.path ? -1 : 1
