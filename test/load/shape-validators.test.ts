import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { createShapeValidators } from '../../src/load/check-shape.ts'
import { schemaProblems } from '../../src/load/schema-problems.ts'
import { readSource } from '../../src/load/source.ts'
import { type LoadCase, runbookOf } from './load-case.ts'

const folder = new URL('../cases/load/', import.meta.url)

/** Validators that have seen more than one runbook. */
const grown = createShapeValidators()
grown({})
grown({ steps: [] })

/** The runbooks of the cases, as they are read. */
function runbooksOf(file: string): readonly (readonly [string, unknown])[] {
  const cases: readonly LoadCase[] = parse(readFileSync(new URL(file, folder), 'utf8'))
  return cases.map((loadCase) => [loadCase.name, readSource(runbookOf(loadCase)).value])
}

describe.each(readdirSync(folder))('the first runbook of a process, from %s', (file) => {
  it('is found to be wrong in all that is wrong with it', () => {
    let wrong = 0
    for (const [name, runbook] of runbooksOf(file)) {
      const validate = createShapeValidators()(runbook)
      const problems = schemaProblems(validate, runbook)
      if (problems.length > 0) wrong++
      expect(problems, name).toEqual(schemaProblems(grown(runbook), runbook))
    }
    if (file === 'keys.yaml') expect(wrong).toBeGreaterThan(10)
  })
})
