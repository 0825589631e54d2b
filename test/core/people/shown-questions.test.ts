import { expect, it } from 'vitest'
import {
  answerCommands,
  answerFieldsOf,
  chooseQuestions,
  groupQuestions,
  shownWord,
} from '../../../src/core/people/index.ts'
import type { QuestionRecord } from '../../../src/core/people/question.ts'

function asked(path: string, second: number, more: Partial<QuestionRecord> = {}): QuestionRecord {
  const asked_at = `2026-01-01T00:00:0${second}.000Z`
  const question = { path, message: `Restart ${path}?`, ...more }
  const shown = shownWord(question)
  return { asked_at, shown, status: 'open', answers: [], ...question }
}

function chooseShown(
  questions: readonly QuestionRecord[],
  step: string,
  shown: string | undefined,
): readonly string[] {
  return chooseQuestions(questions, { step, shown }, 'run_1')
}

const three = [asked('hosts[2]/ok', 1), asked('hosts[0]/ok', 0), asked('hosts[1]/ok', 0)]
const pathsOf = (questions: readonly QuestionRecord[]) =>
  groupQuestions(questions).map(({ step, questions }) => `${step}: ${questions.map(({ path }) => path)}`)
const [{ shown = '' } = {}] = groupQuestions(three)

it('gathers the open questions of one step with one form of answer, in the order in which they were asked', () => {
  const others = [
    asked('hosts[3]/ok', 2, { status: 'answered' }),
    asked('hosts[4]/ok', 2, { from: { count: 2 } }),
    asked('hosts[5]/sure', 2),
  ]
  expect(pathsOf([...three, ...others])).toEqual([
    'hosts/ok: hosts[0]/ok,hosts[1]/ok,hosts[2]/ok',
    'hosts/ok: hosts[4]/ok',
    'hosts/sure: hosts[5]/sure',
  ])
})

it.each(['ok', 'hosts/ok', 'hosts[1]/ok'])('finds what was shown under the name %s', (step) => {
  const paths = ['hosts[0]/ok', 'hosts[1]/ok', 'hosts[2]/ok']
  expect(chooseShown(three, step, shown)).toEqual(paths)
  // Asked since.
  expect(chooseShown([...three, asked('hosts[9]/ok', 5)], step, shown)).toEqual(paths)
})

it('does not mind the answers that others have given so far', () => {
  const answer = {
    approved: true,
    by: { name: 'ada', source: 'console' },
    at: '2026-01-01T00:01:00.000Z',
  } as const
  const [first, ...rest] = three.map((question) => ({ ...question, answers: [answer] }))
  expect(chooseShown([...(first ? [first] : []), ...rest], 'ok', shown)).toHaveLength(3)
})

it.each([
  [
    'one was answered',
    three.map((one, at) => (at === 1 ? { ...one, status: 'answered' as const } : one)),
    /it asks 2 now/,
  ],
  [
    'one says something else',
    three.map((one, at) => (at === 1 ? asked(one.path, 0, { message: 'Stop?' }) : one)),
    /it asks 3 now/,
  ],
  [
    'one has other choices',
    three.map((one, at) => (at === 1 ? asked(one.path, 0, { choices: { a: [1] } }) : one)),
    /have changed/,
  ],
  ['one is asked anew', three.map((one, at) => (at === 1 ? asked(one.path, 7) : one)), /have changed/],
  ['nothing is asked', [], /it asks nothing now/],
])('refuses all where %s', (_, questions, message) => {
  expect(() => chooseShown(questions, 'ok', shown)).toThrow(message)
})

it.each(['', 'all', '3', '3-xyz', '0-1d2918934a'])(
  'refuses the word "%s", which no inbox has printed',
  (word) => {
    expect(() => chooseShown(three, 'ok', word)).toThrow(/names no questions/)
  },
)

it('refuses another step', () => {
  expect(() => chooseShown(three, 'sure', shown)).toThrow(/it asks nothing now/)
})

it('answers one question by its own word, alone or among others', () => {
  const [second, first] = three
  expect(chooseShown(three, 'hosts/ok', first?.shown)).toEqual(['hosts[0]/ok'])
  expect(chooseShown(three, 'hosts[2]/ok', second?.shown)).toEqual(['hosts[2]/ok'])
  expect(groupQuestions(three.slice(0, 1))).toMatchObject([{ shown: second?.shown }])
  // The word of another item.
  expect(() => chooseShown(three, 'hosts[1]/ok', first?.shown)).toThrow(/was not answered/)
})

it('refuses one question that says something else now, and names who answered it where it was answered', () => {
  const one = asked('ok', 1)
  const again = asked('ok', 1, { message: 'Restart all of them?' })
  expect(() => chooseShown([again], 'ok', one.shown)).toThrow(
    'the question of ok that was shown has changed since, so it was not answered; it asks 1 now',
  )
  const answer = {
    approved: true,
    by: { name: 'ada', source: 'console' },
    at: '2026-01-01T00:01:00.000Z',
  } as const
  const settled = { ...one, status: 'answered' as const, answers: [answer], answer }
  expect(() => chooseShown([settled], 'ok', one.shown)).toThrow(
    'ok of run_1 was approved by ada (console) at 2026-01-01T00:01:00.000Z',
  )
})

it('takes what the step asks now where nothing says what was shown', () => {
  expect(chooseShown(three, 'hosts[1]/ok', undefined)).toEqual(['hosts[1]/ok'])
})

it('lists the commands that answer: yes or no, or the fields that are needed', () => {
  const texts = (schema?: QuestionRecord['schema']) =>
    answerCommands(answerFieldsOf(schema ? { schema } : {}), '1-a').map(({ verb, more }) =>
      [verb, ...more].join(' '),
    )
  const properties = { hosts: { type: 'array' }, why: { type: 'string' } }
  expect(texts()).toEqual(['approve --shown 1-a', 'reject --shown 1-a'])
  expect(texts({ type: 'object', properties })).toEqual(['answer --shown 1-a --set hosts= --set why='])
  expect(texts({ type: 'object', required: ['hosts'], properties })).toEqual([
    'answer --shown 1-a --set hosts=',
  ])
})
