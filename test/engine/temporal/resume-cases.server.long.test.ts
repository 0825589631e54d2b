import { describe, it } from 'vitest'
import { otherThanEveryFourth } from '../../support/every-fourth.ts'
import { playResumeCase, resumeCases } from '../conformance/play-resume-case.ts'
import { hostOnServer, mostMs, openStageForFile } from './support/resume-on-server.ts'

openStageForFile()

describe.concurrent.each(resumeCases)('%s', (_, cases) => {
  const others = otherThanEveryFourth(cases)
  it.each(others)('$name', (resumeCase) => playResumeCase(hostOnServer(), resumeCase), mostMs)
})

describe.concurrent.each(resumeCases)('%s, in many executions', (_, cases) => {
  it.each(cases)('$name', (resumeCase) => playResumeCase(hostOnServer(12), resumeCase), mostMs)
})
