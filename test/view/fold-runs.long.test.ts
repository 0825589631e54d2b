import { describe, it } from 'vitest'
import { readRunCases } from '../conformance/read-run-cases.ts'
import { otherThanEveryFourth } from '../support/every-fourth.ts'
import { expectFolded } from './expect-folded.ts'

describe.each(readRunCases().filter(({ isLong }) => !isLong))('$file', ({ cases }) => {
  it.each(otherThanEveryFourth(cases))(
    '$name: folded in pieces as in one go, and as in the record',
    expectFolded,
  )
})
