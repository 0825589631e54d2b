import { describe, it } from 'vitest'
import { otherThanEveryFourth } from '../../support/every-fourth.ts'
import { amendCases, playAmendCase } from '../conformance/play-amend-case.ts'
import { hostOnServer, mostMs, openStageForFile } from './support/amend-on-server.ts'

openStageForFile()

describe.concurrent.each(amendCases)('%s, in many executions', (_, cases) => {
  const others = otherThanEveryFourth(cases)
  it.each(others)('$name', (amendCase) => playAmendCase(hostOnServer(12), amendCase), mostMs)
})
