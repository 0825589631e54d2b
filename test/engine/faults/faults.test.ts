import { it } from 'vitest'
import { smoke } from '../../support/smoke.ts'
import { describeFaults, openSandboxForFile, tryRefusedForBeingTooFrequent } from './describe-faults.ts'

openSandboxForFile()

describeFaults(smoke)

it('every operation waits out a refusal for being too frequent, and counts it as no failure', () =>
  tryRefusedForBeingTooFrequent())
