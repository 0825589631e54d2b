import { it } from 'vitest'
import { expectFolded } from './expect-folded.ts'
import { shapes } from './shapes.ts'

it.each(shapes)('$name: folded in pieces as in one go, and as in the record', expectFolded)
