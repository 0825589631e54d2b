import { it } from 'vitest'
import { expectLoaderSound } from './expect-loader-sound.ts'

it(
  'loads 60 mutated runbooks, the first with the seed 1, and hostile files',
  () => expectLoaderSound(1, 60),
  600_000,
)
