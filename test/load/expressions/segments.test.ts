import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { hasExpression, splitSegments } from '../../../src/load/expressions/segments.ts'

type Written = string | readonly [string] | { readonly open: number; readonly hint?: string }

const file = new URL('../../cases/expressions/segments.yaml', import.meta.url)
const { cases } = parse(readFileSync(file, 'utf8')) as {
  cases: readonly { readonly text: string; readonly segments: readonly Written[] }[]
}

it.each(cases)('$text', ({ text, segments }) => {
  const found = splitSegments(text).map((segment): Written => {
    if (segment.kind === 'text') return segment.text
    if (segment.kind === 'open') {
      return { open: segment.start, ...(segment.hint === undefined ? {} : { hint: segment.hint }) }
    }
    expect(text.slice(segment.start, segment.end)).toBe(segment.source)
    expect(text.slice(segment.end, segment.end + 2)).toBe('}}')
    return [segment.source]
  })
  expect(found).toEqual(segments)
  expect(hasExpression(text)).toBe(segments.some((segment) => typeof segment !== 'string'))
})

it('reads texts that are made to slow it down in the time of a test', () => {
  for (const unit of ['${{ a }}', '$${{', "${{ '", '${{ {', '{{', "'", '${{ // ', "${{ '''"]) {
    expect(splitSegments(unit.repeat(20_000)).length).toBeGreaterThan(0)
  }
})
