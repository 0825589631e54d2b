import type { RateWindow } from '../rate-windows.ts'

/** What a plan will do, as far as it is known and takes time: calls under rate limits, and waits. */
export type Task =
  /** Calls one after another. `lane` names who shares the count; without windows they wait for nothing. */
  | {
      readonly kind: 'calls'
      readonly lane: string
      readonly windows: readonly RateWindow[]
      readonly count: number
    }
  | { readonly kind: 'wait'; readonly ms: number }
  /** Ends at this time, counted from the start of the run. */
  | { readonly kind: 'until'; readonly ms: number }
  | { readonly kind: 'sequence'; readonly tasks: readonly Task[] }
  | { readonly kind: 'together'; readonly tasks: readonly Task[]; readonly atOnce: number }
  | { readonly kind: 'repeated'; readonly task: Task; readonly count: number; readonly atOnce: number }
  /** Whether it is done is not known before the run. */
  | { readonly kind: 'maybe'; readonly task: Task }
  /** The part of one step, to see when it begins and ends. */
  | { readonly kind: 'step'; readonly path: string; readonly task: Task }

export const nothing: Task = { kind: 'sequence', tasks: [] }

/** How many calls of each lane a task makes. */
export function callsByLane(task: Task, includesMaybe: boolean): ReadonlyMap<string, LaneCalls> {
  const lanes = new Map<string, LaneCalls>()
  const visit = (part: Task, times: number): void => {
    if (part.kind === 'calls') {
      const count = (lanes.get(part.lane)?.count ?? 0) + part.count * times
      lanes.set(part.lane, { count, windows: part.windows })
    } else if (part.kind === 'sequence' || part.kind === 'together') {
      for (const inner of part.tasks) visit(inner, times)
    } else if (part.kind === 'repeated') visit(part.task, times * part.count)
    else if (part.kind === 'step') visit(part.task, times)
    else if (part.kind === 'maybe' && includesMaybe) visit(part.task, times)
  }
  visit(task, 1)
  return lanes
}

/** The calls that are counted together. */
export interface LaneCalls {
  readonly count: number
  readonly windows: readonly RateWindow[]
}
