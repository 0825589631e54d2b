import { it } from 'vitest'
import { tryRandomResume } from './try-random-resume.ts'

// The test of `npm test` has the seeds before these.
const first = Number(process.env['OPSBOOK_FUZZ_SEED'] ?? '11')
const count = Number(process.env['OPSBOOK_FUZZ_RESUMES'] ?? '30')
const seeds = Array.from({ length: count }, (_, index) => first + index)

it.each(seeds)('no edit creates anything twice without a word (seed %i)', tryRandomResume)
