import { it } from 'vitest'
import { expectLoaderSound } from './expect-loader-sound.ts'

it(
  'loads 30 mutated runbooks, the first with the seed 1, and hostile files',
  () => expectLoaderSound(1, 30),
  600_000,
)
