import {
  CancellationScope,
  ParentClosePolicy,
  scheduleActivity,
  startChild,
  uuid4,
  workflowInfo,
} from '@temporalio/workflow'
import type { RunEvent } from '../../../../core/events.ts'
import type { RunOutcome } from '../../../../core/interpret.ts'
import { keepNewest } from '../../../../core/keep-newest.ts'
import { type AskedQuestion, givenInAdvance } from '../../../../core/people/index.ts'
import {
  createOpenItems,
  type Notice,
  noticeOfEnd,
  noticeOfQuestion,
  remindersOf,
  type TimedNotice,
} from '../../../notices/index.ts'
import type { ContinuedState } from '../../continued-state.ts'
import type { RunExecution } from '../../messages.ts'
import {
  composeNoticeActivity,
  deliverNoticeActivity,
  type NoticeDrafts,
  type NoticeOrder,
  noticeType,
} from '../../notice-messages.ts'
import { followDeployments } from '../follow-deployments.ts'
import { refuseUnreadable } from '../require-readable.ts'

/** Notifies people of what a run needs them for. */
export interface Notifier {
  /** Keeps the values that no message may show, and the items of loops. */
  learn(event: RunEvent): void
  asked(question: AskedQuestion, askedAtMs: number): void
  /** When the next reminder of a question is due, in Unix milliseconds. Infinity: never before its deadline. */
  nextReminderMs(question: AskedQuestion, askedAtMs: number): number
  /**
   * Sends the reminders and escalations of a question that are due by now. What was due while no worker ran is due once
   * it runs again, and reminders count as one then.
   */
  remind(question: AskedQuestion, askedAtMs: number, nowMs: number): void
  /** The question is no longer open. */
  forget(path: string): void
  ended(outcome: RunOutcome): void
  /** Resolves when the workflows of all notifications have started; undefined when they have already. */
  allStarted(): Promise<unknown> | undefined
  reminded(): Pick<ContinuedState, 'reminded'>
  carry(): Pick<ContinuedState, 'sensitive'>
}

/** A message shows much less of it. */
const mostMessageLength = 10_000
/** The characters of sensitive values that a notification takes along, the newest first. The server takes 2 MiB. */
const mostSensitiveLength = 262_144

/**
 * Each notification is a workflow of its own. It is delivered also after the end of the run, and the run waits only until
 * the server has recorded it.
 */
export function createNotifier({ start, continued }: RunExecution): Notifier {
  const { plan, runId, actionQueue, approvedBy } = start
  const items = createOpenItems()
  const run = { runId, plan, items }
  const sensitive = new Set(continued.sensitive)
  const starting = new Set<Promise<unknown>>()
  /** When the last reminder of each question was sent. */
  const remindedMs = new Map(continued.reminded)
  const remindersAfterLast = (question: AskedQuestion, askedAtMs: number): readonly TimedNotice[] =>
    remindersOf(run, question, askedAtMs, remindedMs.get(question.path) ?? askedAtMs)
  const notify = (notice: Notice | undefined): void => {
    if (!notice) return
    const order: NoticeOrder = { notice: trimmed(notice), sensitive: newest(sensitive), actionQueue }
    const started = startNotice(runId, order).finally(() => starting.delete(started))
    starting.add(started)
  }
  return {
    learn(event) {
      items.take(event)
      if (!('sensitive' in event)) return
      for (const value of event.sensitive ?? []) sensitive.add(value)
    },
    asked(question, askedAtMs) {
      remindedMs.delete(question.path)
      const isAnswered = approvedBy !== undefined && givenInAdvance(question, approvedBy) !== undefined
      if (!isAnswered) notify(noticeOfQuestion(run, question, askedAtMs))
    },
    nextReminderMs: (question, askedAtMs) =>
      Math.min(...remindersAfterLast(question, askedAtMs).map(({ atMs }) => atMs)),
    remind(question, askedAtMs, nowMs) {
      const due = remindersAfterLast(question, askedAtMs)
      remindedMs.set(question.path, nowMs)
      for (const { notice, atMs } of due) if (atMs <= nowMs) notify(notice)
    },
    forget: (path) => void remindedMs.delete(path),
    ended: (outcome) => notify(noticeOfEnd(run, outcome, Date.now())),
    allStarted: () => (starting.size === 0 ? undefined : Promise.all(starting)),
    reminded: () => (remindedMs.size === 0 ? {} : { reminded: [...remindedMs] }),
    carry: () => (sensitive.size === 0 ? {} : { sensitive: newest(sensitive) }),
  }
}

function trimmed({ error, ...notice }: Notice): Notice {
  const message = notice.message.slice(0, mostMessageLength)
  if (!error) return { ...notice, message }
  const { code, requestId } = error
  const shown = { code, message: '', ...(requestId === undefined ? {} : { requestId }) }
  return { ...notice, message, error: shown }
}

function newest(values: ReadonlySet<string>): readonly string[] {
  return keepNewest([...values], mostSensitiveLength, ({ length }) => length)
}

/**
 * Starts the workflow of a notification; its id begins with `subject`. Resolves when the server has recorded it. Never
 * rejects: a notification that cannot be sent must not harm the workflow that sends it.
 */
export async function startNotice(subject: string, order: NoticeOrder): Promise<void> {
  await CancellationScope.nonCancellable(() =>
    startChild(noticeType, {
      args: [order],
      workflowId: `${subject}/notices/${uuid4()}`,
      taskQueue: workflowInfo().taskQueue,
      parentClosePolicy: ParentClosePolicy.ABANDON,
      staticSummary: `${order.notice.kind} of ${subject}`,
    }),
  ).catch(() => {})
}

/** A notification that was not delivered after this time fails. */
const givenUpAfter = '1 day'
/** Longer than a try takes: a worker without a result after it was lost. */
const longestTry = '30 seconds'

/**
 * Sends one notification: the workers know the targets, and retry for a day until the message is delivered. The server
 * makes the retries, so that they add nothing to the history.
 */
export async function opsbookNotice(order: NoticeOrder): Promise<void> {
  refuseUnreadable(order)
  const options = {
    taskQueue: order.actionQueue,
    startToCloseTimeout: longestTry,
    scheduleToCloseTimeout: givenUpAfter,
    retry: { initialInterval: '5 seconds', backoffCoefficient: 3, maximumInterval: '1 hour' },
  } as const
  const drafts = await scheduleActivity<NoticeDrafts>(composeNoticeActivity, [order], options)
  refuseUnreadable(drafts)
  const settled = await Promise.allSettled(
    drafts.map((draft) =>
      scheduleActivity(deliverNoticeActivity, [draft], { ...options, summary: draft.target }),
    ),
  )
  for (const result of settled) if (result.status === 'rejected') throw result.reason
}

followDeployments(opsbookNotice)
