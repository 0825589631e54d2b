import { otherThanSmoke } from '../../support/smoke.ts'
import { describeShortCases, openStageForFile } from './support/cases-on-server.ts'

openStageForFile()

await describeShortCases(otherThanSmoke)
