import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import type { JsonValue } from '../../../src/core/json.ts'
import {
  type Answer,
  type AskedQuestion,
  countOf,
  decideAnswer,
  givenInAdvance,
  isSameQuestion,
  neededFor,
  type Question,
} from '../../../src/core/people/index.ts'
import { milliseconds } from '../../conformance/script.ts'
import { systemUserNamed } from '../../support/identity.ts'

interface Given {
  readonly by: string
  /** That of the login. */
  readonly id?: string
  readonly user?: string
  readonly is?: 'flag' | 'system-user' | 'agent'
  readonly groups?: readonly string[]
  readonly approved?: boolean
  readonly value?: JsonValue
  readonly at?: string
  readonly does: string
  readonly 'counted-groups'?: readonly string[]
  /** The record of the question says that the name counts. */
  readonly verified?: true
}

interface PeopleCase {
  readonly name: string
  readonly question?: Pick<AskedQuestion, 'schema' | 'choices' | 'from' | 'people'> & {
    readonly until?: string
  }
  readonly 'started-by'?: string | readonly string[]
  readonly answers: readonly Given[]
}

const file = new URL('../../cases/people/decide-answer.yaml', import.meta.url)
const startMs = Date.UTC(2026, 0, 1)

test.each(parse(readFileSync(file, 'utf8')) as readonly PeopleCase[])('$name', (one) => {
  const { until, ...question } = one.question ?? {}
  const starters = [one['started-by'] ?? []].flat().map(systemUserNamed)
  let counting: readonly Answer[] = []
  for (const {
    by,
    id,
    user,
    is,
    groups = [],
    approved = true,
    value,
    at = '1s',
    does,
    ...more
  } of one.answers) {
    const identity = is
      ? { name: by, source: is, user: user ?? by }
      : {
          name: by,
          source: 'console' as const,
          verified: true as const,
          ...(user ? { user } : {}),
          ...(id ? { id } : {}),
        }
    const decision = decideAnswer({
      question,
      answers: counting,
      starters,
      ...(until === undefined ? {} : { untilMs: startMs + milliseconds(until) }),
      nowMs: startMs + milliseconds(at),
      given: { approved, by: identity, groups, ...(value === undefined ? {} : { value }) },
    })
    if (decision.kind === 'refused') {
      expect(decision.message.endsWith(does), `${decision.message} ends with ${does}`).toBe(true)
      continue
    }
    counting = decision.answers
    const told = decision.kind === 'settled' ? 'settled' : `${countOf(counting)} of ${neededFor(question)}`
    expect(told).toBe(does)
    const { verified } = more
    expect(counting.at(-1)?.by).toEqual({ ...identity, ...(verified ? { verified } : {}) })
    expect(counting.at(-1)?.groups).toEqual(more['counted-groups'] ?? (question.from?.groups && groups))
  }
})

test('an answer in advance is yes or the default, and none where the question says who may answer', () => {
  const by = systemUserNamed('ada')
  const ask = { path: 'a', message: 'Go?' }
  const schema = { type: 'object' }
  expect(givenInAdvance(ask, by)).toMatchObject({ approved: true, by })
  expect(givenInAdvance({ ...ask, schema, default: { n: 1 } }, by)).toMatchObject({ value: { n: 1 } })
  expect(givenInAdvance({ ...ask, schema }, by)).toBeUndefined()
  expect(givenInAdvance({ ...ask, from: { count: 1 } }, by)).toBeUndefined()
})

test.each([
  ['the message', { message: 'Stop?' }],
  ['the schema', { schema: { type: 'object' } }],
  ['the choices', { choices: { host: ['b'] } }],
  ['the policy', { from: { count: 2 } }],
])('a question with another value of %s is another question', (_, change) => {
  const before = { path: 'a', message: 'Go?', choices: { host: ['a'] } }
  expect(isSameQuestion(before, { ...before, timeoutMs: 3 } as Question)).toBe(true)
  expect(isSameQuestion(before, { ...before, ...change })).toBe(false)
})
