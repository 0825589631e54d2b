import { describe, expect, it } from 'vitest'
import { createStage } from './support/stage.ts'

const kib = 1024
const step = (action: string): string => `  - { id: big, uses: note/${action}, with: { name: big } }\n`

describe('an answer', () => {
  it.each([
    ['as large as allowed', 512 * kib - 11, 'succeeded'],
    ['one byte larger', 512 * kib - 10, 'failed'],
  ])('that is %s', async (_, length, status) => {
    const stage = createStage()
    stage.answer = () => ({ text: 'x'.repeat(length) })
    const report = await stage.run(step('read'))
    expect(report.status).toBe(status)
    if (status === 'failed') {
      expect(report.error).toMatchObject({
        code: 'OutputTooLarge',
        message: expect.stringContaining('save-as'),
      })
      expect(stage.rows('SELECT output FROM attempts')).toEqual([{ output: null }])
    }
  })

  it('is measured in bytes, not in characters', async () => {
    const stage = createStage()
    stage.answer = () => ({ text: 'ü'.repeat(300 * kib) })
    expect(await stage.run(step('read'))).toMatchObject({ error: { code: 'OutputTooLarge' } })
  })

  it('of a create that is too large to keep is not asked for again: it was made', async () => {
    const stage = createStage()
    stage.answer = () => ({ text: 'x'.repeat(600 * kib) })
    const report = await stage.run(step('make'))
    expect(report).toMatchObject({ status: 'failed', error: { code: 'OutputTooLarge' } })
    expect(await stage.resume(report.run_id)).toMatchObject({ error: { code: 'OutputTooLarge' } })
    expect(stage.calls).toEqual(['create big'])
  })
})

it('keeps plans once, however often they are run', async () => {
  const stage = createStage()
  for (let run = 0; run < 3; run++) await stage.run(step('read'))
  expect(stage.rows('SELECT count(*) AS plans FROM plans')).toEqual([{ plans: 1 }])
})
