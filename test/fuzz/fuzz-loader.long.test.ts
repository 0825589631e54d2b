import { it } from 'vitest'
import { expectLoaderSound } from './expect-loader-sound.ts'

const first = Number(process.env['OPSBOOK_FUZZ_SEED'] ?? '1')
const count = Number(process.env['OPSBOOK_FUZZ_COUNT'] ?? '2000')

it(
  `loads ${count} mutated runbooks, the first with the seed ${first}, and hostile files`,
  () => expectLoaderSound(first, count),
  600_000,
)
