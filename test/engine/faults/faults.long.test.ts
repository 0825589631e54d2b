import { otherThanEveryFourth } from '../../support/every-fourth.ts'
import { describeFaults, openSandboxForFile } from './describe-faults.ts'

openSandboxForFile()

describeFaults(otherThanEveryFourth)
