import { describe } from 'vitest'
import { casesOf, everySecond, playCases, shipped } from './shipped-cases.ts'

describe.concurrent.each(shipped)('%s', (file) => {
  const cases = casesOf(file)
  const played = everySecond(cases)
  playCases(
    file,
    cases.filter((one) => !played.includes(one)),
  )
})
