import { expect, it } from 'vitest'
import type { AskedQuestion, QuestionRecord } from '../../../src/core/people/index.ts'
import {
  changeQuestion,
  decideOpen,
  listQuestions,
  openQuestion,
  questionState,
  setQuestionAside,
} from '../../../src/engine/temporal/workflow/run/question-state.ts'
import { systemUserNamed } from '../../support/identity.ts'

const nowMs = Date.parse('2026-11-21T09:00:00Z')
const question = { path: 'go', kind: 'approval', message: 'Go?', needed: 2 } as unknown as AskedQuestion
const answer = { by: systemUserNamed('ada'), at: '2026-11-21T09:01:00.000Z', approved: true }

const rows: readonly {
  readonly name: string
  readonly before: Partial<QuestionRecord>
  readonly again?: Partial<AskedQuestion>
  readonly answers: number
}[] = [
  { name: 'is open: its answers stay', before: {}, answers: 1 },
  { name: 'was withdrawn: its answers stay', before: { status: 'withdrawn' }, answers: 1 },
  { name: 'has expired: it is asked anew', before: { status: 'expired' }, answers: 0 },
  { name: 'has another text now: it is asked anew', before: {}, again: { message: 'Stop?' }, answers: 0 },
]

it.each(rows)('a question that $name', ({ before, again, answers }) => {
  const state = questionState([])
  openQuestion(state, question, nowMs)
  changeQuestion(state, 'go', { answers: [answer], ...before })
  openQuestion(state, { ...question, ...again }, nowMs + 1000)
  const [listed] = listQuestions(state)
  expect(listed).toMatchObject({ status: 'open', asked_at: '2026-11-21T09:00:01.000Z' })
  expect(listed?.answers).toHaveLength(answers)
})

it('a question that is set aside is listed as replaced, before the others, and takes no answer', () => {
  const state = questionState([])
  openQuestion(state, { ...question, path: 'first' }, nowMs)
  openQuestion(state, question, nowMs)
  setQuestionAside(state, 'go')
  expect(listQuestions(state)).toMatchObject([
    { path: 'go', status: 'withdrawn', is_superseded: true },
    { path: 'first', status: 'open' },
  ])
  expect(decideOpen(state.records.get('go'), { starters: [], nowMs, given: answer })).toBeUndefined()
  expect(listQuestions(questionState(listQuestions(state)))).toEqual(listQuestions(state))
})
