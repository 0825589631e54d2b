import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { fillPage } from '../../scripts/docs/fill-page.ts'
import { pages } from '../../scripts/docs/pages.ts'
import { errorRules } from '../../src/core/errors.ts'

it.each(pages)('$file is what the tables say now (else: npm run docs)', ({ file, parts }) => {
  const text = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')
  expect(fillPage(text, parts)).toBe(text)
})

it('refuses a page without a place for a generated part', () => {
  expect(() => fillPage('# A page', { table: () => 'x' })).toThrow('has no place')
})

it('every error code has a section with what to do', () => {
  const text = readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8')
  const sections = new Map(
    text
      .split(/^### /m)
      .slice(1)
      .map((section) => [section.slice(0, section.indexOf('\n')), section] as const),
  )
  expect([...sections.keys()].toSorted()).toEqual(Object.keys(errorRules).toSorted())
  for (const [name, { explanation, next }] of Object.entries(errorRules)) {
    const section = sections.get(name)?.replaceAll(/\s+/g, ' ')
    expect(section).toContain(explanation)
    expect(section).toContain(next)
  }
})
