import { describe } from 'vitest'
import { otherThanSmoke } from '../support/smoke.ts'
import { casesOf, playCases, shipped } from './shipped-cases.ts'

describe.concurrent.each(shipped)('%s', (file) => playCases(file, otherThanSmoke(casesOf(file))))
