import { describe, expect, it, onTestFinished } from 'vitest'
import { openEmbeddedEngine } from '../../../src/engine/embedded/index.ts'
import { playResumeCase, type ResumeHost, resumeCases } from '../conformance/play-resume-case.ts'
import { createStage, type Stage } from './support/stage.ts'

describe.each(resumeCases)('%s', (_, cases) => {
  it.each(cases)('$name', async (resumeCase) => {
    const stage = createStage()
    await playResumeCase(hostOn(stage), resumeCase)
    expect(
      stage.rows('SELECT 1 FROM attempts WHERE superseded = 0 AND reused IS NOT NULL AND output IS NULL'),
    ).toEqual([])
  })
})

function hostOn(stage: Stage): ResumeHost {
  const engine = openEmbeddedEngine(stage.dataDir)
  onTestFinished(() => engine.close())
  return {
    calls: stage.calls,
    set answer(answer: ResumeHost['answer']) {
      stage.answer = answer
    },
    plan(text, children) {
      Object.assign(stage.children, children)
      return stage.plan(text)
    },
    async run(plan, inputs) {
      const handle = await stage.start('', { plan, inputs })
      return (await handle.result).run_id
    },
    compare: (runId, changes) => engine.compareResume(runId, changes, stage.common),
    resume: (runId, changes) => stage.resume(runId, changes ? { changes } : {}),
    contents: async () =>
      ['runs', 'attempts', 'steps', 'first_reached', 'questions', 'artifacts', 'resumes', 'plans'].map(
        (table) => stage.rows(`SELECT * FROM ${table}`),
      ),
  }
}
