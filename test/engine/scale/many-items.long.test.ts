import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, expect, it } from 'vitest'

interface Counted {
  readonly report: { readonly status: string; readonly steps: readonly object[] }
  /** Bytes on the heap after each tenth of the items. */
  readonly heaps: readonly number[]
  readonly rows: Readonly<Record<string, number>>
}

const program = fileURLToPath(new URL('count-items.ts', import.meta.url))

async function countItems(count: number): Promise<Counted> {
  const words = ['--expose-gc', '--import', 'tsx', program, String(count)]
  const { stdout } = await promisify(execFile)(process.execPath, words)
  return JSON.parse(stdout)
}

let few: Counted
let many: Counted
beforeAll(async () => {
  few = await countItems(1000)
  many = await countItems(10_000)
}, 300_000)

it('10,000 items end', () => {
  expect(many.report).toMatchObject({ status: 'succeeded', steps: [{ path: 'hosts', attempts: 20_000 }] })
  expect(many.rows).toMatchObject({ attempts: 20_000 })
})

it('ten times the items leave ten times the rows', () => {
  const perItem = Object.entries(few.rows).map(([table, count]) => [table, Math.round(count / 1000)])
  const ofMany = Object.entries(many.rows).map(([table, count]) => [table, Math.round(count / 10_000)])
  expect(ofMany).toEqual(perItem)
})

it('what an item leaves in memory is less than its name', () => {
  // With the first items comes what V8 makes of the code that runs for every item: on Node 22 some 400 kB, once.
  const [, before = 0, ...after] = many.heaps
  const perItem = (Math.max(...after) - before) / 8000
  expect(perItem).toBeLessThan(50)
})
