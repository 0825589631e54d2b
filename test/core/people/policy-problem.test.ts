import { expect, it } from 'vitest'
import { type People, policyProblem } from '../../../src/core/people/index.ts'
import type { AnswerPolicy } from '../../../src/core/people/question.ts'

const trust = ['system-user'] as const
const groups = { leads: ['ada', 'bob'], night: ['ada'], nobody: [] }

it.each<readonly [AnswerPolicy, People, RegExp | undefined]>([
  [{}, { groups }, /no name is verified/],
  [{ groups: ['leads'] }, {}, /no name is verified/],
  [{}, { trust }, undefined],
  [{ count: 2 }, { trust }, undefined],
  [{ groups: ['leads'] }, { trust, groups }, undefined],
  [{ groups: ['leads'], count: 2 }, { trust, groups }, undefined],
  [
    { groups: ['leads', 'night'], count: 3 },
    { trust, groups },
    /3 people must answer, and leads, night has 2/,
  ],
  [
    { groups: ['leads'], count: 2, 'not-starter': true },
    { trust, groups },
    /^if ada or bob starts the run, no one can answer: leads then has 1 of the 2 people/,
  ],
  [{ groups: ['leads'], 'not-starter': true }, { trust, groups }, undefined],
  [
    { groups: ['night'], 'not-starter': true },
    { trust, groups },
    /^if ada starts the run, no one can answer: night then has 0 of the 1 person/,
  ],
  [{ groups: ['nobody'] }, { trust, groups }, /no one can answer: nobody has no members/],
  [{ groups: ['sre'] }, { trust, groups }, /sre has no members; opsbook.yaml has no group sre/],
  [{ groups: ['sre', 'leads'], count: 3 }, { trust, groups }, /leads has 2; opsbook.yaml has no group sre/],
  [{ groups: ['leads'] }, { groups, logins: 'names' }, undefined],
  [{ groups: ['sre'] }, { groups, logins: 'names' }, /opsbook.yaml has no group sre/],
  [{ groups: ['sre'], count: 3 }, { groups, logins: 'groups' }, undefined],
  [{ groups: ['toString'] }, { trust, groups }, /opsbook.yaml has no group toString/],
])('%j with %j', (policy, people, expected) => {
  const problem = policyProblem(policy, people)
  if (expected) expect(problem).toMatch(expected)
  else expect(problem).toBeUndefined()
})
