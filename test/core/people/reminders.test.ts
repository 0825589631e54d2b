import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { escalationAt, nextReminder, readReminders } from '../../../src/core/people/index.ts'
import { parseDuration } from '../../../src/core/times/duration.ts'

interface ReminderCase {
  readonly name: string
  readonly question: { readonly timeout?: string }
  readonly told?: string
  readonly reminder?: string
  readonly escalation?: string
}

const cases = parse(
  readFileSync(new URL('../../cases/reminders.yaml', import.meta.url), 'utf8'),
) as readonly ReminderCase[]

const askedAtMs = 1_000_000

test.each(cases)('$name', ({ question, told = '0s', reminder, escalation }) => {
  const timeoutMs = question.timeout === undefined ? {} : { timeoutMs: parseDuration(question.timeout) ?? 0 }
  const asked = { ...readReminders(question), ...timeoutMs }
  const next = nextReminder(asked, askedAtMs, askedAtMs + (parseDuration(told) ?? 0))
  const [number, at = ''] = reminder?.split(' at ') ?? []
  const wanted = reminder && { number: Number(number), atMs: askedAtMs + (parseDuration(at) ?? 0) }
  expect(next).toEqual(wanted)
  const escalated = escalation && askedAtMs + (parseDuration(escalation) ?? 0)
  expect(escalationAt(asked, askedAtMs)).toEqual(escalated)
})
