import { createPlanIndex, plannedAction } from '../../core/record/index.ts'
import type { LoadedTests } from '../file/load-test-file.ts'
import type { PlayedRun } from '../host/play-run.ts'

/** Something that goes wrong in a run that goes well. */
export type Fault =
  /** The call is made, and its answer is lost. */
  | { readonly kind: 'lost'; readonly call: string; readonly code: string }
  /** The call is refused, and certainly not made. */
  | { readonly kind: 'refused'; readonly call: string; readonly code: string }
  /** The process dies after the answer, and the run is resumed. `outcomes`: how many were recorded by then. */
  | { readonly kind: 'crash'; readonly call: string; readonly outcomes: number }
  /** The run is cancelled while it waits for an answer at this step. */
  | { readonly kind: 'cancelled'; readonly question: string }

/** The faults to try on a run: three for each write, and one for each question. */
export function faultsOf({ plan }: LoadedTests, { host, journal }: PlayedRun): readonly Fault[] {
  const index = createPlanIndex(plan)
  const writes = host.calls.flatMap((request): readonly Fault[] => {
    const planned = plannedAction(index, request)
    if (!planned || planned.safety === 'read' || planned.isLocal) return []
    const call = `${request.path}#${request.attempt}`
    const recorded = journal.outcomes.get(call)
    return [
      { kind: 'lost', call, code: 'ConnectionLost' },
      { kind: 'refused', call, code: request.action === 'core/http' ? 'HttpRefused' : 'AccessDenied' },
      ...(recorded ? [{ kind: 'crash', call, outcomes: recorded.order + 1 } as const] : []),
    ]
  })
  const questions = host.events.flatMap((event): readonly string[] =>
    event.type === 'waiting' && (event.reason === 'approval' || event.reason === 'answer')
      ? [event.path]
      : [],
  )
  return [...writes, ...[...new Set(questions)].map((question): Fault => ({ kind: 'cancelled', question }))]
}

/** The fault in words. */
export function faultText(fault: Fault): string {
  switch (fault.kind) {
    case 'lost':
      return `the answer of ${fault.call} is lost`
    case 'refused':
      return `${fault.call} is refused`
    case 'crash':
      return `the process dies after ${fault.call}`
    case 'cancelled':
      return `the run is cancelled at ${fault.question}`
  }
}
