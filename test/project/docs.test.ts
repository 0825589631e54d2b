import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { fillPage } from '../../scripts/docs/fill-page.ts'
import { pages } from '../../scripts/docs/pages.ts'

it.each(pages)('$file is what the tables say now (else: npm run docs)', ({ file, parts }) => {
  const text = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')
  expect(fillPage(text, parts)).toBe(text)
})

it('refuses a page without a place for a generated part', () => {
  expect(() => fillPage('# A page', { table: () => 'x' })).toThrow('has no place')
})
