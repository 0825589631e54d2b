import { it } from 'vitest'
import { tryRandomRun } from './try-random-run.ts'

// The test of `npm test` has the seeds before these.
const first = Number(process.env['OPSBOOK_FUZZ_SEED'] ?? '21')
const count = Number(process.env['OPSBOOK_FUZZ_RUNS'] ?? '60')
const seeds = Array.from({ length: count }, (_, index) => first + index)

it.each(seeds)('a random runbook has one outcome, wherever it is stopped (seed %i)', tryRandomRun)
