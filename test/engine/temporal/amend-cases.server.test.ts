import { describe, it } from 'vitest'
import { everyFourth } from '../../support/every-fourth.ts'
import { amendCases, playAmendCase } from '../conformance/play-amend-case.ts'
import { hostOnServer, mostMs, openStageForFile } from './support/amend-on-server.ts'

openStageForFile()

describe.concurrent.each(amendCases)('%s', (_, cases) => {
  it.each(cases)('$name', (amendCase) => playAmendCase(hostOnServer(), amendCase), mostMs)
})

describe.concurrent.each(amendCases)('%s, in many executions', (_, cases) => {
  it.each(everyFourth(cases))('$name', (amendCase) => playAmendCase(hostOnServer(12), amendCase), mostMs)
})
