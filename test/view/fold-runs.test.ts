import { describeCases } from '../support/describe-cases.ts'
import { expectFolded } from './expect-folded.ts'
import { shapes } from './shapes.ts'

describeCases('folded in pieces as in one go, and as in the record', shapes, expectFolded)
