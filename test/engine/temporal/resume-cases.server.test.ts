import { describe, it } from 'vitest'
import { smoke } from '../../support/smoke.ts'
import { playResumeCase, resumeCases } from '../conformance/play-resume-case.ts'
import { hostOnServer, mostMs, openStageForFile } from './support/resume-on-server.ts'

openStageForFile()

describe.concurrent.each(resumeCases)('%s', (_, cases) => {
  it.each(smoke(cases))('$name', (resumeCase) => playResumeCase(hostOnServer(), resumeCase), mostMs)
})
