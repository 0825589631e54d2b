import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { createActions } from '../../src/actions/index.ts'
import { loadRunbook } from '../../src/load/index.ts'

/**
 * 54 public workflows of 16 systems, written as runbooks. Their labels say how well the language fits each: `naturally`,
 * `awkwardly` with a work-around, `custom` with an action of the project, `no` where the essence is missing.
 */
const folder = new URL('../cases/workflows/', import.meta.url)
const files = readdirSync(folder).toSorted()
const read = (name: string): string => readFileSync(new URL(name, folder), 'utf8')
const actions = createActions([], { commands: { local: true, ssh: ['*'] } })

function load(file: string): ReturnType<typeof loadRunbook> {
  return loadRunbook(read(file), actions, { readRunbook: (name: string) => read(name) })
}

it.each(files)('%s loads without errors, and names its source', (file) => {
  const { diagnostics } = load(file)
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([])
  expect(read(file)).toMatch(/^# .+/)
})

it('at least 40 of 54 are natural, at most 5 need an action of the project, at most one cannot be said', () => {
  const verdicts = files.flatMap((file) => load(file).plan?.labels?.['verdict'] ?? [])
  const count = (verdict: string): number => verdicts.filter((one) => one === verdict).length
  expect(verdicts).toHaveLength(54)
  expect(count('naturally')).toBeGreaterThanOrEqual(40)
  expect(count('custom')).toBeLessThanOrEqual(5)
  expect(count('no')).toBeLessThanOrEqual(1)
})
