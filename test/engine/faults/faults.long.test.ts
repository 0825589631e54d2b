import { otherThanSmoke } from '../../support/smoke.ts'
import { describeFaults, openSandboxForFile } from './describe-faults.ts'

openSandboxForFile()

describeFaults(otherThanSmoke)
