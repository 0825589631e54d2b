import { expect, it } from 'vitest'
import { chooseQuestion, type KnownQuestion } from '../../../src/core/people/choose-question.ts'
import { systemUserNamed } from '../../support/identity.ts'

const by = { by: systemUserNamed('ada'), at: '2026-11-21T09:00:00.000Z' }
const asked: readonly KnownQuestion[] = [
  { path: 'ask', status: 'open', answers: [] },
  { path: 'hosts[0]/reboot', status: 'open', answers: [] },
  { path: 'hosts[1]/reboot', status: 'open', answers: [] },
  { path: 'each[2]', status: 'open', answers: [] },
  { path: 'early', status: 'answered', answers: [{ approved: true, ...by }], is_superseded: true },
  { path: 'early', status: 'answered', answers: [{ approved: false, ...by }] },
  { path: 'block/late', status: 'expired', answers: [] },
  { path: 'gone', status: 'withdrawn', answers: [] },
]
const closed = asked.filter(({ status }) => status !== 'open')

it.each([
  ['ask', 'ask'],
  ['each', 'each[2]'],
  ['each[2]', 'each[2]'],
  ['hosts[1]/reboot', 'hosts[1]/reboot'],
])('%s is answered at %s', (step, path) => {
  expect(chooseQuestion(asked, step, 'run_1')).toBe(path)
})

it.each([
  ['reboot', asked, 'several steps ask, say which: hosts[0]/reboot, hosts[1]/reboot'],
  ['early', asked, 'early of run_1 was rejected by ada at 2026-11-21T09:00:00.000Z'],
  ['late', asked, 'block/late of run_1 waits no more: the time for an answer is over'],
  ['gone', closed, 'gone of run_1 waits no more: it was cancelled'],
  ['ask', closed, 'run_1 asks nothing now'],
  ['aks', asked.slice(0, 1), 'aks of run_1 does not wait for an answer; did you mean ask?'],
  ['other', asked.slice(0, 1), 'other of run_1 does not wait for an answer; what does: ask'],
])('%s is refused: %#', (step, questions, message) => {
  const choose = (): string => chooseQuestion(questions, step, 'run_1')
  expect(choose).toThrow(expect.objectContaining({ code: 'InvalidInput', message, notSent: true }))
})
