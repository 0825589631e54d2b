import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { createActions } from '../../src/actions/index.ts'
import { diagnosticRules } from '../../src/load/diagnostic.ts'
import { loadRunbook } from '../../src/load/index.ts'
import { type LoadCase, runbookOf } from './load-case.ts'

const folder = new URL('../cases/load/', import.meta.url)
const actions = createActions([], { commands: { local: true, ssh: ['*.prod.example'] } })

const files = readdirSync(folder).map((file) => ({
  file,
  cases: parse(readFileSync(new URL(file, folder), 'utf8')) as readonly LoadCase[],
}))

for (const { file, cases } of files) {
  describe(`load/${file}`, () => {
    it.each(cases)('$name', (loadCase) => {
      const {
        findings,
        hints,
        paths,
        messages,
        severities,
        files: children = {},
        notLoaded = [],
        connections,
        hooks,
        notifyNames,
        people,
        hasPublicUrl,
      } = loadCase
      const { plan, diagnostics } = loadRunbook(runbookOf(loadCase), actions, {
        file: 'main.yaml',
        readRunbook: (path) => children[path],
        notLoaded,
        ...(hooks === undefined ? {} : { hooks }),
        ...(notifyNames === undefined ? {} : { notifyNames }),
        ...(people === undefined ? {} : { people }),
        ...(hasPublicUrl === undefined ? {} : { hasPublicUrl }),
        ...(connections === undefined ? {} : { connections }),
      })
      const found = diagnostics.map(({ code, range, file: named }) => {
        const place = `${code} ${range.start.line}:${range.start.column}`
        return named === 'main.yaml' ? place : `${place} ${named}`
      })
      expect(found).toEqual(findings)
      const given = diagnostics.map(({ hint }) => hint)
      if (hints) expect(given.filter((hint) => hint !== undefined).slice(0, hints.length)).toEqual(hints)
      if (messages) expect(diagnostics.map(({ message }) => message)).toEqual(messages)
      if (severities) expect(diagnostics.map(({ severity }) => severity)).toEqual(severities)
      if (paths) expect(diagnostics.map(({ path }) => path)).toEqual(paths)
      const hasErrors = diagnostics.some(({ severity }) => severity === 'error')
      expect(plan === undefined).toBe(hasErrors)
      expect(JSON.parse(JSON.stringify(plan ?? null))).toEqual(plan ?? null)
    })
  })
}

describe('the cases', () => {
  const all = files.flatMap(({ cases }) => cases)

  it('are many, and each has a name of its own', () => {
    const names = files.flatMap(({ file, cases }) => cases.map(({ name }) => `${file} ${name}`))
    expect(new Set(names).size).toBe(names.length)
    expect(names.length).toBeGreaterThanOrEqual(300)
  })

  const produced = new Set(all.flatMap(({ findings }) => findings.map((finding) => finding.split(' ')[0])))
  it.each(Object.keys(diagnosticRules))('produce %s', (code) => {
    expect(produced).toContain(code)
  })
})
