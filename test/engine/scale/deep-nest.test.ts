import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createActions, defineAction, type JsonObject } from 'opsbook'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { compile, runPlan } from '../support/run-runbook.ts'

let dataDir: string
let worked: number
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'opsbook-nest-'))
  worked = 0
})
afterEach(() => rmSync(dataDir, { recursive: true }))

const work = defineAction({
  name: 'test/work',
  summary: 'Work',
  safety: 'read',
  input: { type: 'object', additionalProperties: true },
  output: { type: 'object' },
  run: async () => ({ number: ++worked }),
})
const actions = createActions([work])

/** A step in blocks, loops and branches inside one another; what the innermost answers comes out of all of them. */
function nested(levels: number, items: readonly number[], leaf: JsonObject): JsonObject {
  let step = leaf
  for (let level = levels; level > 0; level--) {
    const id = `level_${level}`
    const inner = `steps.${String(step['id'])}.outputs`
    if (level % 3 === 1) step = { id, steps: [step], outputs: { deep: `\${{ ${inner} }}` } }
    else if (level % 3 === 2)
      step = { id, 'for-each': { items }, steps: [step], outputs: { deep: `\${{ ${inner} }}` } }
    else
      step = {
        id,
        parallel: [step, { id: `beside_${level}`, uses: 'test/work' }],
        outputs: { deep: `\${{ ${inner} }}` },
      }
  }
  return step
}

/** The deepest that a file may hold: a level is a list and a map, and 20 of both are the limit. */
const mostLevels = 8
/** Runbooks run one another five deep. */
const mostChildren = 4

it('a nest of 10 levels, over two files', async () => {
  const leaf = { id: 'leaf', uses: 'test/work' }
  const child = documentOf({ steps: [nested(5, [1, 2], leaf)] })
  const plan = compile(
    { steps: [nested(5, [1, 2], { id: 'leaf', uses: 'core/run', with: { runbook: 'child.yaml' } })] },
    actions,
    {
      file: 'main.yaml',
      readRunbook: () => child,
    },
  )
  const report = await runPlan(plan, { dataDir, actions })
  expect(report.error).toBeUndefined()
  // Two loops of two around each leaf, in both files, and a branch beside each of the 2 and the 8 in the middle.
  expect(worked).toBe(4 * 4 + 2 + 4 * 2)
})

it('the deepest nest there can be', async () => {
  const names = Array.from({ length: mostChildren }, (_, index) => `child-${index}.yaml`)
  const documents = new Map(
    names.map((name, index) => {
      const next = names[index + 1]
      const leaf =
        next === undefined
          ? { id: 'leaf', uses: 'test/work' }
          : { id: 'leaf', uses: 'core/run', with: { runbook: next } }
      return [name, documentOf({ steps: [nested(mostLevels, [1], leaf)] })]
    }),
  )
  const first = { id: 'leaf', uses: 'core/run', with: { runbook: names[0] ?? '' } }
  const plan = compile({ steps: [nested(mostLevels, [1, 2], first)] }, actions, {
    file: 'main.yaml',
    readRunbook: (path) => documents.get(path),
  })
  const report = await runPlan(plan, { dataDir, actions })
  expect(report.error).toBeUndefined()
  const besides = 2 + 4
  const leaves = 8
  expect(worked).toBe(besides + leaves * (1 + mostChildren * 2))
})

it('one level more than that is refused before anything is done', () => {
  const tooDeep = nested(mostLevels + 1, [1], { id: 'leaf', uses: 'test/work', with: {} })
  expect(() => compile({ steps: [tooDeep] }, actions)).toThrow('TOO_DEEP')
})

function documentOf(runbook: JsonObject): string {
  return JSON.stringify({ apiVersion: 'opsbook/v1', name: 'child', ...runbook })
}
