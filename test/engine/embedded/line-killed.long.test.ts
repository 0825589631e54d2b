import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { type Child, startScript } from './support/child.ts'
import type { LineJob } from './support/line-in-child.ts'
import { createStage } from './support/stage.ts'

const limit = 3
const text = `apiVersion: opsbook/v1
name: test
inputs: { type: object, required: [name], properties: { name: { type: string } } }
concurrency: { key: one, limit: ${limit}, on-conflict: wait }
steps:
  - { id: made, uses: note/put, with: { name: "\${{ inputs.name }}" } }
`

it('of 20 runs in processes that are killed, never more than three execute, and each gets the key', async () => {
  const stage = createStage()
  const { dataDir } = stage
  const inside = join(dataDir, 'inside')
  mkdirSync(inside)
  const children: Child[] = []
  const start = (job: Pick<LineJob, 'names' | 'runIds'>): Child => {
    const together = { count: limit, file: join(dataDir, 'together') }
    const child = startScript('line-in-child', { dataDir, inside, text, callMs: 150, together, ...job })
    children.push(child)
    return child
  }
  const open = (): readonly string[] =>
    stage
      .reader()
      .listRuns({ status: ['interrupted'] })
      .map(({ run_id }) => run_id)
  for (let process = 0; process < 5; process++)
    start({ names: [0, 1, 2, 3].map((run) => `${process}-${run}`), runIds: [] })
  // Holders and waiters of the same process die together.
  for (let kill = 0; kill < 4; kill++) {
    const victim = children[kill] as Child
    await victim.line(({ type }) => type === 'inside')
    await victim.kill()
    const left = open()
    if (left.length > 0) start({ names: [], runIds: left })
  }
  const statuses = (): readonly string[] =>
    stage.rows('SELECT status FROM runs').map((row) => String(row['status']))
  // A process that was killed early may have recorded fewer runs.
  await Promise.all(children.map(({ ended }) => ended))
  const left = open()
  if (left.length > 0) await start({ names: [], runIds: left }).ended
  expect(statuses().length).toBeGreaterThan(12)
  expect(new Set(statuses())).toEqual(new Set(['succeeded']))
  const counts = children.flatMap((child) =>
    child.lines(({ type }) => type === 'inside').map(({ count }) => Number(count)),
  )
  expect(Math.max(...counts)).toBe(limit)
}, 180_000)
