import type { QuestionRecord } from '../../../../core/people/index.ts'
import type { CurrentStep, WaitingAttempt } from '../../../../core/record/index.ts'

/**
 * What a run waits for, as lists show it: the question whose time ends first, else the event whose time ends first.
 * Undefined: it waits for neither.
 */
export function currentWait(
  questions: readonly QuestionRecord[],
  events: readonly WaitingAttempt[],
): CurrentStep | undefined {
  const asked = questions.flatMap(({ status, path, asked_at, until, schema }): readonly CurrentStep[] =>
    status === 'open'
      ? [{ path, since: asked_at, reason: schema ? 'answer' : 'approval', ...untilOf(until) }]
      : [],
  )
  return (
    firstToEnd(asked) ??
    firstToEnd(events.map(({ path, since, until }) => ({ path, since, reason: 'event', ...untilOf(until) })))
  )
}

function untilOf(until: string | undefined): Pick<CurrentStep, 'until'> {
  return until === undefined ? {} : { until }
}

/** Of those whose time ends together, the one that began first. */
function firstToEnd(waits: readonly CurrentStep[]): CurrentStep | undefined {
  let first: CurrentStep | undefined
  for (const wait of waits) if (first === undefined || endMsOf(wait) < endMsOf(first)) first = wait
  return first
}

function endMsOf({ until }: CurrentStep): number {
  return until === undefined ? Number.POSITIVE_INFINITY : Date.parse(until)
}
