import { otherThanEveryFourth } from '../../support/every-fourth.ts'
import { describeShortCases, openStageForFile } from './support/cases-on-server.ts'

openStageForFile()

await describeShortCases(otherThanEveryFourth)
