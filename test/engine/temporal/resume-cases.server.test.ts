import { describe, it } from 'vitest'
import { everyFourth } from '../../support/every-fourth.ts'
import { playResumeCase, resumeCases } from '../conformance/play-resume-case.ts'
import { hostOnServer, mostMs, openStageForFile } from './support/resume-on-server.ts'

openStageForFile()

describe.concurrent.each(resumeCases)('%s', (_, cases) => {
  it.each(everyFourth(cases))('$name', (resumeCase) => playResumeCase(hostOnServer(), resumeCase), mostMs)
})
