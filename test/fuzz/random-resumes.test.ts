import { it } from 'vitest'
import { tryRandomResume } from './try-random-resume.ts'

const seeds = Array.from({ length: 10 }, (_, index) => 1 + index)

it.each(seeds)('no edit creates anything twice without a word (seed %i)', tryRandomResume)
