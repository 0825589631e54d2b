import { describe, it } from 'vitest'
import { otherThanSmoke } from '../../support/smoke.ts'
import { playResumeCase, resumeCases } from '../conformance/play-resume-case.ts'
import { hostOnServer, mostMs, openStageForFile } from './support/resume-on-server.ts'

openStageForFile()

describe.concurrent.each(resumeCases)('%s', (_, cases) => {
  const others = otherThanSmoke(cases)
  it.each(others)('$name', (resumeCase) => playResumeCase(hostOnServer(), resumeCase), mostMs)
})

describe.concurrent.each(resumeCases)('%s, in many executions', (_, cases) => {
  it.each(cases)('$name', (resumeCase) => playResumeCase(hostOnServer(12), resumeCase), mostMs)
})
