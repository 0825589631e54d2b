import { readdirSync, readFileSync } from 'node:fs'
import { loadTestFile, runTests } from 'opsbook/testing'
import { expect, it } from 'vitest'
import { createActions } from '../../src/actions/index.ts'
import { mutantsOf } from './mutants.ts'

const folder = new URL('../../runbooks/', import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, folder), 'utf8')
const files = readdirSync(folder).filter((file) => file.endsWith('.test.yaml'))
const actions = createActions([])

/** Whether the tests of a runbook fail with this text. Undefined: the loader refuses it. */
async function isKilled(file: string, text: string): Promise<boolean | undefined> {
  const runbook = `./${file.replace('.test', '')}`
  const { tests } = loadTestFile(read(file), actions, {
    file,
    read: (path) => (path === runbook ? text : read(path)),
  })
  if (!tests) return undefined
  const { tests: results, faults } = await runTests(tests)
  return results.some(({ status }) => status === 'failed') || (faults?.failed.length ?? 0) > 0
}

it('the tests of the shipped runbooks notice at least 95 of 100 changes', { timeout: 600_000 }, async () => {
  let killed = 0
  const alive: string[] = []
  for (const file of files) {
    const text = read(file.replace('.test', ''))
    expect(await isKilled(file, text)).toBe(false)
    for (const mutant of mutantsOf(text)) {
      const isNoticed = await isKilled(file, mutant.text)
      if (isNoticed) killed++
      else if (isNoticed === false) alive.push(`${file} ${mutant.what}`)
    }
  }
  const share = killed / (killed + alive.length)
  expect(killed).toBeGreaterThan(120)
  expect(share, `${killed} noticed; not noticed:\n${alive.join('\n')}`).toBeGreaterThanOrEqual(0.95)
})
