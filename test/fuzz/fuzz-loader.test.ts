import { it } from 'vitest'
import { expectLoaderSound } from './expect-loader-sound.ts'

it(
  'loads 200 mutated runbooks, the first with the seed 1, and hostile files',
  () => expectLoaderSound(1, 200),
  600_000,
)
