import { randomBytes } from 'node:crypto'
import { expect, inject, it, onTestFinished } from 'vitest'
import { systemUserNamed } from '../../support/identity.ts'
import { openStage } from './support/open-stage.ts'

/** No other text is like it, so that it cannot be packed. */
const noise = (bytes: number): string => randomBytes((bytes * 3) / 4).toString('base64')

const answer = { type: 'object', required: ['text'], properties: { text: { type: 'string' } } }

const loop = {
  id: 'each',
  'for-each': { items: '${{ range(100) }}', as: 'n', 'max-parallel': 20 },
  steps: [
    { id: 'which', uses: 'core/ask', with: { message: 'Which?', answer } },
    { id: 'sure', uses: 'core/approve', with: { message: 'Sure?' } },
    { id: 'sizes', uses: 'core/set', with: { bytes: '${{ size(steps.which.outputs.answer.text) }}' } },
  ],
  outputs: { bytes: '${{ steps.sizes.outputs.bytes }}' },
}

it('a loop of 100 questions, 20 at once, takes answers of 30 KB each', async () => {
  const stage = await openStage(inject('temporalAddress'))
  onTestFinished(() => stage.close())
  const plan = stage.compile({
    steps: [loop],
    outputs: { bytes: '${{ steps.each.outputs.items.map(one, one.outputs.bytes).sum() }}' },
  } as never)
  const run = await stage.start(plan, { mostEvents: 150 })
  const by = systemUserNamed('somebody')
  for await (const event of run.events) {
    if (event.type !== 'waiting') continue
    const value = event.reason === 'answer' ? { value: { text: noise(30_000) } } : {}
    await stage.engine.answerQuestion(run.runId, { step: event.path }, { approved: true, by, ...value })
  }
  expect(await run.result).toMatchObject({ status: 'succeeded', outputs: { bytes: 3_000_000 } })
}, 120_000)
