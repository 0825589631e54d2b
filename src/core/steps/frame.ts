import type { Scope } from '../expressions/evaluate.ts'
import type { Cancellation } from '../host/cancellation.ts'
import type { Host } from '../host/host.ts'
import { isJsonObject, type JsonObject } from '../json.ts'
import type { Plan } from '../plan/plan.ts'
import type { RunMemory } from '../record/run-memory.ts'
import type { Approvals, Sequence } from './approvals.ts'
import type { WorkClock } from './work-clock.ts'

/** Where in a run the interpreter is: what steps there see, and what they answer to. */
export interface Frame {
  readonly host: Host
  readonly memory: RunMemory
  /** The runbooks that `core/run` can run. */
  readonly children: Readonly<Record<string, Plan>>
  /** Path of the step around, such as `hosts[3]`; empty at the top of the run. */
  readonly path: string
  /** What expressions see. */
  readonly scope: Scope
  readonly cancellation: Cancellation
  readonly clock: WorkClock
  /** What people have approved here. Left out where the plan asks for no approval. */
  readonly approvals?: Approvals | undefined
  /** Of the running step. Left out where the plan asks for no approval, and at the begin of such a part. */
  readonly sequence?: Sequence | undefined
  /** Path of the runbook around; left out: that of the run. */
  readonly document?: string
  /** What is done here is clean-up. */
  readonly isCleanUp?: true
}

/** The path of a step or call inside a frame. */
export function pathIn({ path }: Pick<Frame, 'path'>, name: string): string {
  return path === '' ? name : `${path}/${name}`
}

/** The frame with more names, or other values for them. */
export function withNames(frame: Frame, names: JsonObject): Frame {
  return { ...frame, scope: { ...frame.scope, ...names } }
}

/** The results of all steps that can be seen, by their ids. */
export function visibleSteps({ scope }: Frame): JsonObject {
  const { steps } = scope
  return isJsonObject(steps) ? steps : {}
}

/** Sleeps, as a part of the work, till then. `fromMs` is when the pause began by the record. */
export async function sleepAtWork(
  timeMs: number,
  pause: Parameters<Host['sleepUntil']>[1],
  { host, clock, cancellation }: Frame,
  fromMs: number = host.now(),
): Promise<void> {
  clock.begin()
  try {
    await host.sleepUntil(timeMs, pause, cancellation)
  } finally {
    clock.end()
  }
  if (!cancellation.reason) clock.past(fromMs, timeMs)
}
