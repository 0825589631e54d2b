import { it } from 'vitest'
import { expectLoaderSound } from './expect-loader-sound.ts'

// The test of `npm test` has the seeds before these.
const first = Number(process.env['OPSBOOK_FUZZ_SEED'] ?? '31')
const count = Number(process.env['OPSBOOK_FUZZ_COUNT'] ?? '1970')

it(
  `loads ${count} mutated runbooks, the first with the seed ${first}, and hostile files`,
  () => expectLoaderSound(first, count),
  600_000,
)
