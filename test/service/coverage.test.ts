import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { statementParts } from './statements.ts'

const folder = new URL('.', import.meta.url)
const isSource = (name: string): boolean => name.endsWith('.ts') && name !== 'coverage.test.ts'
const sources = readdirSync(folder)
  .filter(isSource)
  .map((name) => ({ name, text: readFileSync(new URL(name, folder), 'utf8') }))

/** `field-cases.ts` holds cases of `fields.test.ts`. */
const testOf = (name: string): string => name.replace(/^field-cases\b.*$/, 'fields.test.ts')

const idsByFile = new Map<string, Set<string>>()
for (const { name, text } of sources) {
  const ids = [...text.matchAll(/'§([^']+)'/g)].map(([, id = '']) => id)
  const file = testOf(name)
  idsByFile.set(file, new Set([...(idsByFile.get(file) ?? []), ...ids]))
}

describe('the statements of the document', () => {
  it('have ids of their own', () => {
    const ids = statementParts.flatMap(({ statements }) => Object.keys(statements))
    expect(ids).toEqual([...new Set(ids)])
  })

  it('have one proof, or a reason why there is none', () => {
    for (const part of statementParts) {
      expect([part.section, part.proof, part.untested].filter(Boolean)).toHaveLength(2)
    }
  })

  it.each([...new Set(statementParts.flatMap(({ proof = [] }) => proof))])(
    'are proven in %s exactly as the table says',
    (file) => {
      const stated = statementParts
        .filter(({ proof }) => proof === file)
        .flatMap(({ statements }) => Object.keys(statements))
      expect([...(idsByFile.get(file) ?? [])].sort()).toEqual(stated.sort())
    },
  )

  it('are named by no file that the table does not know', () => {
    const files = [...idsByFile].filter(([, ids]) => ids.size > 0).map(([file]) => file)
    expect(files.filter((file) => statementParts.every(({ proof }) => proof !== file))).toEqual([])
  })

  it('have no test that is left out', () => {
    for (const { text } of sources) expect(text).not.toMatch(/\.(skip|todo|only|skipIf|runIf)\b/)
  })
})
