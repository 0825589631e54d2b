import { compareResume } from 'opsbook'
import { describe, expect, it } from 'vitest'
import { type AmendHost, amendCases, playAmendCase } from '../conformance/play-amend-case.ts'
import { createStage, type Stage } from './support/stage.ts'

describe.each(amendCases)('%s', (_, cases) => {
  it.each(cases)('$name', async (amendCase) => {
    const stage = createStage()
    await playAmendCase(hostOn(stage), amendCase)
    expect(
      stage.rows('SELECT 1 FROM attempts WHERE superseded = 0 AND reused IS NOT NULL AND output IS NULL'),
    ).toEqual([])
  })
})

function hostOn(stage: Stage): AmendHost {
  return {
    calls: stage.calls,
    set answer(answer: AmendHost['answer']) {
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
    compare: async (runId, amendment) => compareResume({ ...stage.common, runId, amendment }),
    resume: (runId, amendment) => stage.resume(runId, amendment ? { amendment } : {}),
    contents: async () =>
      ['runs', 'attempts', 'steps', 'marks', 'questions', 'artifacts', 'resumes', 'plans'].map((table) =>
        stage.rows(`SELECT * FROM ${table}`),
      ),
  }
}
