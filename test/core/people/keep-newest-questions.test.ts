import { expect, it } from 'vitest'
import { isSameQuestion, keepNewestQuestions } from '../../../src/core/people/index.ts'
import type { QuestionRecord } from '../../../src/core/people/question.ts'

const question = (at: number, status: QuestionRecord['status'] = 'answered'): QuestionRecord => ({
  path: `each[${at}]/ask`,
  message: `${at} ${'m'.repeat(300)}`,
  schema: { type: 'object', properties: { host: { type: 'string' } } },
  choices: { host: ['x'.repeat(30_000)] },
  default: { host: 'x' },
  shown: `1-${at}`,
  asked_at: '2026-11-22T09:00:00Z',
  status,
  answers: [],
})

it('keeps the newest settled questions and the open ones as they were asked, and of the others which they were', () => {
  const all = Array.from({ length: 100 }, (_, at) => question(at, at === 3 ? 'open' : 'answered'))
  const kept = keepNewestQuestions(all)
  expect(kept.flatMap(({ choices }, at) => (choices ? [at] : []))).toEqual([3, 96, 97, 98, 99])
  expect(kept[0]?.message).toHaveLength(201)
  expect(kept[0]?.default).toBeUndefined()
  for (const [at, one] of all.entries()) expect(isSameQuestion(kept[at] ?? question(-1), one)).toBe(true)
  expect(isSameQuestion(kept[0] ?? question(0), question(1))).toBe(false)
  expect(keepNewestQuestions(kept)).toEqual(kept)
})
