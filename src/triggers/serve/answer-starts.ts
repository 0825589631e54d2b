import type { EventDecision, EventRecord, NoStartReason } from '../../core/triggers/event-record.ts'

/** What the sender of an event is told. */
export interface StartsAnswer {
  readonly event_id: string
  /** One for each runbook that it could have started. */
  readonly starts: readonly (
    | { readonly runbook: string; readonly run_id: string }
    | { readonly runbook: string; readonly because: NoStartReason }
  )[]
}

/** Of several triggers of a runbook the one that started it speaks, else one whose condition was true. */
export function answerStarts({ event_id, starts }: EventRecord): StartsAnswer {
  const runbooks = [...new Set(starts.map(({ runbook }) => runbook))]
  return {
    event_id,
    starts: runbooks.map((runbook) => {
      const decisions = starts.filter((decision) => decision.runbook === runbook)
      const { run_id = '', because } =
        decisions.find(isStart) ?? decisions.find(isClose) ?? decisions[0] ?? {}
      return because === undefined ? { runbook, run_id } : { runbook, because }
    }),
  }
}

function isStart({ because }: EventDecision): boolean {
  return because === undefined
}

function isClose({ because }: EventDecision): boolean {
  return because !== 'where_false'
}
