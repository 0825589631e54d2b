import { expect, it } from 'vitest'
import type { Notice } from '../../../src/engine/notices/index.ts'
import { answerUpdate } from '../../../src/engine/temporal/messages.ts'
import { type NoticeOrder, noticeType } from '../../../src/engine/temporal/notice-messages.ts'
import { systemUserNamed } from '../../support/identity.ts'
import { createEngineClock } from '../conformance/engine-clock.ts'
import { decode, encode } from './isolate/payloads.ts'
import { playRunbook } from './isolate/play-runbook.ts'
import { isolateOfFile } from './support/isolate-of-file.ts'

const isolate = isolateOfFile()

const startMs = Date.parse('2026-11-22T09:00:00Z')
const minuteMs = 60_000

interface Played {
  /** Such as `20 approval_reminder 2`: after how many minutes what was sent. */
  readonly sent: readonly string[]
  readonly executions: number
}

/** Plays a runbook that asks at the step `ask`, and answers after some time. */
async function play(steps: object[], answerAfterMinutes: number, mostEvents = 4096): Promise<Played> {
  const clock = createEngineClock(startMs)
  const work = async (): Promise<Played> => {
    const workflow = await playRunbook({
      isolate,
      clock,
      name: 'asks',
      steps,
      mostEvents,
      runActivity: async () => ({ completed: { result: encode({ output: { rules: [] } }) } }),
    })
    await clock.waitUntil(startMs + answerAfterMinutes * minuteMs)
    const order = { step: 'ask', approved: true, by: systemUserNamed('ada') }
    await workflow.update(answerUpdate, order).catch(() => {})
    await workflow.result.catch(() => {})
    await workflow.dispose()
    const sent = workflow.executions.flatMap(({ tasks }) =>
      tasks.flatMap(({ told, commands }) =>
        commands.flatMap(({ startChildWorkflowExecution: child }) => {
          if (child?.workflowType !== noticeType) return []
          const { notice } = decode<NoticeOrder>(child.input?.[0])
          return [`${(told.timeMs - startMs) / minuteMs} ${textOf(notice)}`]
        }),
      ),
    )
    return { sent, executions: workflow.executions.length }
  }
  return clock.run(work())
}

function textOf({ kind, reminder, to }: Notice): string {
  return [kind, reminder, to].filter((part) => part !== undefined).join(' ')
}

function ask(more: object): object {
  return { id: 'ask', uses: 'core/approve', with: { message: 'Go on?', ...more } }
}

it('reminds until there is an answer, and escalates once', async () => {
  const { sent } = await play([ask({ remind: '10m', escalate: { after: '15m', to: 'leads' } })], 35)
  expect(sent).toEqual([
    '0 approval_waiting',
    '10 approval_reminder 1',
    '15 approval_escalated leads',
    '20 approval_reminder 2',
    '30 approval_reminder 3',
  ])
})

it('reminds at most twenty times, and not at the deadline or after it', async () => {
  const { sent } = await play([ask({ remind: '1m' })], 60)
  expect(sent.slice(1)).toEqual(
    Array.from({ length: 20 }, (_, at) => `${at + 1} approval_reminder ${at + 1}`),
  )
  const late = await play([ask({ remind: '10m', timeout: '20m' })], 60)
  expect(late.sent).toEqual(['0 approval_waiting', '10 approval_reminder 1', '20 run_failed'])
})

it('reminds of the same things where the run continues in many executions', async () => {
  const calls = {
    id: 'calls',
    'for-each': { items: Array.from({ length: 14 }, (_, index) => index), as: 'item' },
    steps: [
      { id: 'pause', uses: 'core/wait', with: { for: '4m' } },
      { id: 'rules', uses: 'rum/error-ingestion/rules/list', with: { application_id: 'a' } },
    ],
  }
  const asking = ask({ remind: '10m', escalate: { after: '15m', to: 'leads' } })
  const { sent, executions } = await play([{ id: 'both', parallel: [asking, calls] }], 55, 25)
  expect(executions).toBeGreaterThan(3)
  expect(sent).toEqual([
    '0 approval_waiting',
    '10 approval_reminder 1',
    '15 approval_escalated leads',
    '20 approval_reminder 2',
    '30 approval_reminder 3',
    '40 approval_reminder 4',
    '50 approval_reminder 5',
  ])
})
