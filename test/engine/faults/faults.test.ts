import { it } from 'vitest'
import { everyFourth } from '../../support/every-fourth.ts'
import { describeFaults, openSandboxForFile, tryRefusedForBeingTooFrequent } from './describe-faults.ts'

openSandboxForFile()

describeFaults(everyFourth)

it('every operation waits out a refusal for being too frequent, and counts it as no failure', () =>
  tryRefusedForBeingTooFrequent())
