import type { RunEvent } from '../../../core/events.ts'
import type { Question } from '../../../core/host.ts'
import type { RunOutcome } from '../../../core/interpret.ts'
import { type Notice, noticeOfEnd, noticeOfQuestion } from '../../record/notice.ts'
import type { Carried } from '../carried.ts'
import type { NoticeOrder, RunStart } from '../messages.ts'
import { handOverNotice } from './hand-over-notice.ts'

/** Tells people what a run needs them for. */
export interface PeopleTeller {
  /** Takes note of what must not be seen in a message. */
  learn(event: RunEvent): void
  asked(question: Question, askedAtMs: number): void
  ended(outcome: RunOutcome): void
  /** Resolves when everything that is to be told is on its way; undefined where it is already. */
  handedOver(): Promise<unknown> | undefined
  carry(): Pick<Carried, 'sensitive'>
}

/** What telling takes. */
export interface TellOptions {
  readonly start: RunStart
  readonly carried: Carried
}

/** A message shows much less of it. */
const mostMessageLength = 10_000
/** What is kept to be hidden, the newest of it: far below what goes to the server in one piece. */
const mostSensitiveLength = 262_144

/**
 * Each notice is a workflow of its own: it is delivered whether the run goes on or not, and the run waits for nothing but
 * that the server knows of it.
 */
export function createPeopleTeller({ start, carried }: TellOptions): PeopleTeller {
  const { plan, runId, actionQueue, approvedBy, tellsPeople } = start
  const run = { runId, plan }
  const sensitive = new Set(carried.sensitive)
  const starting = new Set<Promise<unknown>>()
  const tell = (notice: Notice | undefined): void => {
    // A run that others have begun tells nobody: its history has no place for it.
    if (!notice || !tellsPeople) return
    const order: NoticeOrder = { notice: trimmed(notice), sensitive: newest(sensitive), actionQueue }
    const started = handOverNotice(runId, order).finally(() => starting.delete(started))
    starting.add(started)
  }
  return {
    learn(event) {
      if (!tellsPeople || !('sensitive' in event)) return
      for (const value of event.sensitive ?? []) sensitive.add(value)
    },
    asked(question, askedAtMs) {
      if (approvedBy === undefined) tell(noticeOfQuestion(run, question, askedAtMs))
    },
    ended: (outcome) => tell(noticeOfEnd(run, outcome, Date.now())),
    handedOver: () => (starting.size === 0 ? undefined : Promise.all(starting)),
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
  const kept: string[] = []
  let length = 0
  for (const value of [...values].reverse()) {
    length += value.length
    if (length > mostSensitiveLength) break
    kept.unshift(value)
  }
  return kept
}
