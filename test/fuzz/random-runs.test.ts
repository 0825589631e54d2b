import { it } from 'vitest'
import { tryRandomRun } from './try-random-run.ts'

const seeds = Array.from({ length: 20 }, (_, index) => 1 + index)

it.each(seeds)('a random runbook has one outcome, wherever it is stopped (seed %i)', tryRandomRun)
