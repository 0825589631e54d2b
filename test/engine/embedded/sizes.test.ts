import { describe, expect, it } from 'vitest'
import { createStage } from './support/stage.ts'

const kib = 1024
const step = (action: string): string => `  - { id: big, uses: note/${action}, with: { name: big } }\n`

describe('an answer', () => {
  it.each([
    ['as large as outputs may be', 512 * kib - 11, 'succeeded', true],
    ['one byte larger', 512 * kib - 10, 'failed', true],
    ['as large as a journal takes', 1024 * kib - 11, 'failed', true],
    ['one byte larger than that', 1024 * kib - 10, 'failed', false],
  ])('that is %s', async (_, length, status, isJournaled) => {
    const stage = createStage()
    stage.answer = () => ({ text: 'x'.repeat(length) })
    const report = await stage.run(step('read'))
    expect(report.status).toBe(status)
    if (status === 'failed')
      expect(report.error).toMatchObject({
        code: 'OutputTooLarge',
        message: expect.stringContaining('save-as'),
      })
    expect(stage.rows('SELECT length(output) AS bytes FROM attempts')).toEqual([
      { bytes: isJournaled ? length + 11 : null },
    ])
  })

  it('is measured in bytes, not in characters', async () => {
    const stage = createStage()
    stage.answer = () => ({ text: 'ü'.repeat(300 * kib) })
    expect(await stage.run(step('read'))).toMatchObject({ error: { code: 'OutputTooLarge' } })
  })

  it.each([600, 1600])(
    'of a create that is too large to keep is not asked for again: it was made (%i KiB)',
    async (size) => {
      const stage = createStage()
      stage.answer = () => ({ text: 'x'.repeat(size * kib) })
      const report = await stage.run(step('make'))
      expect(report).toMatchObject({ status: 'failed', error: { code: 'OutputTooLarge' } })
      expect(await stage.resume(report.run_id)).toMatchObject({ error: { code: 'OutputTooLarge' } })
      expect(stage.calls).toEqual(['create big'])
    },
  )
})

it('keeps plans once, however often they are run', async () => {
  const stage = createStage()
  for (let run = 0; run < 3; run++) await stage.run(step('read'))
  expect(stage.rows('SELECT count(*) AS plans FROM plans')).toEqual([{ plans: 1 }])
})
