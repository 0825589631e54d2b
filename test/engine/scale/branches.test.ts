import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineAction, type JsonObject, type Plan } from 'opsbook'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { compile, runPlan } from '../support/run-runbook.ts'

let dataDir: string
let running: number
let most: number
let total: number
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'opsbook-branches-'))
  running = most = total = 0
})
afterEach(() => rmSync(dataDir, { recursive: true }))

const work = defineAction({
  name: 'test/work',
  summary: 'Work for 20 ms',
  safety: 'read',
  input: { type: 'object', additionalProperties: true },
  output: { type: 'object' },
  async run() {
    total += 1
    most = Math.max(most, ++running)
    await new Promise((resolve) => setImmediate(resolve))
    running -= 1
    return {}
  },
})

const run = (plan: Plan) => runPlan(plan, { dataDir, actions: [work] })
const leaf = { uses: 'test/work', with: {} }

it('1,000 branches, 40 at a time', async () => {
  // More than a file may hold: what a plan of another origin would be.
  const parallel = { id: 'all', parallel: [{ id: 'branch', ...leaf }], 'max-parallel': 40 }
  const plan = compile({ steps: [parallel] }, [work])
  const [step] = plan.steps
  if (step?.kind !== 'parallel') throw new Error('no branches')
  const branches = Array.from({ length: 1000 }, (_, index) => ({
    ...step.branches[0],
    id: `branch_${index}`,
  }))
  const wide = { ...plan, steps: [{ ...step, branches }] } as unknown as Plan
  const report = await run(wide)
  expect(report).toMatchObject({ status: 'succeeded', steps: expect.arrayContaining([]) })
  expect({ total, most }).toEqual({ total: 1000, most: 40 })
})

it('as many branches as a file may hold, in two items at a time', async () => {
  const parallel: readonly JsonObject[] = Array.from({ length: 498 }, (_, index) => ({
    id: `b${index}`,
    ...leaf,
  }))
  const steps = [{ id: 'branches', parallel, 'max-parallel': 30 }]
  const report = await run(
    compile({ steps: [{ id: 'twice', 'for-each': { items: [1, 2], 'max-parallel': 2 }, steps }] }, [work]),
  )
  expect(report.status).toBe('succeeded')
  expect({ total, most }).toEqual({ total: 996, most: 60 })
})

it('1,000 items, 500 at a time', async () => {
  const items = Array.from({ length: 1000 }, (_, index) => index)
  const report = await run(
    compile({ steps: [{ id: 'each', 'for-each': { items, 'max-parallel': 500 }, ...leaf }] }, [work]),
  )
  expect(report).toMatchObject({ status: 'succeeded', steps: [{ path: 'each', attempts: 1000 }] })
  expect({ total, most }).toEqual({ total: 1000, most: 500 })
})
