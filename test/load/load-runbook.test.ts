import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { createActions } from '../../src/actions/index.ts'
import { loadRunbook } from '../../src/load/index.ts'

interface Case {
  readonly name: string
  readonly runbook: string
  /** `CODE line:column` of each finding, in order. */
  readonly findings: readonly string[]
  /** Hints of the findings that have one, in order, as far as listed. */
  readonly hints?: readonly string[]
}

const folder = new URL('../cases/load/', import.meta.url)
const actions = createActions()

for (const file of readdirSync(folder)) {
  const cases = parse(readFileSync(new URL(file, folder), 'utf8')) as readonly Case[]
  describe(`load/${file}`, () => {
    it.each(cases)('$name', ({ runbook, findings, hints }) => {
      const { plan, diagnostics } = loadRunbook(runbook, actions)
      expect(
        diagnostics.map(({ code, range }) => `${code} ${range.start.line}:${range.start.column}`),
      ).toEqual(findings)
      if (hints) {
        const given = diagnostics.flatMap(({ hint }) => (hint === undefined ? [] : [hint]))
        expect(given.slice(0, hints.length)).toEqual(hints)
      }
      expect(plan === undefined).toBe(findings.length > 0)
      expect(JSON.parse(JSON.stringify(plan ?? null))).toEqual(plan ?? null)
    })
  })
}
