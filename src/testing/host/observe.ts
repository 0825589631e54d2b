import type { RunEvent, RunStatus } from '../../core/events.ts'
import { type JsonObject, type JsonValue, withoutUndefined } from '../../core/json.ts'
import type { ErrorData } from '../../core/run-error.ts'
import { formatDuration } from '../../core/times/index.ts'

/** A run as its listeners see it. */
export interface ObservedRun {
  readonly status: RunStatus
  readonly outputs?: JsonObject
  readonly error?: ErrorData
  /** `path code`. */
  readonly warnings: readonly string[]
  readonly warningsLeftOut: number
  /** `path#attempt` in their order. */
  readonly calls: readonly string[]
  readonly ends: Readonly<Record<string, string>>
  readonly left: Readonly<Record<string, JsonValue>>
  /** `path reason until`. */
  readonly waits: readonly string[]
  /** `path calls open` of each question: the calls that a yes covers, and the steps that it does not. */
  readonly asked: readonly string[]
  /** `path level message`. */
  readonly log: readonly string[]
}

/** Reads the events of one run; `startMs` is when it began. */
export function observe(events: readonly RunEvent[], startMs: number): ObservedRun {
  const of = <T extends RunEvent['type']>(type: T): readonly (RunEvent & { type: T })[] =>
    events.filter((event): event is RunEvent & { type: T } => event.type === type)
  const [finished] = of('run_finished')
  if (!finished) throw new Error('the run did not end')
  const { status, outputs, error, warnings = [], warnings_left_out: warningsLeftOut = 0 } = finished
  const since = (timeMs: number | undefined): string =>
    timeMs === undefined ? '' : ` ${formatDuration(timeMs - startMs)}`
  const ended = [...of('step_finished'), ...of('item_finished')]
  return {
    status,
    ...withoutUndefined({ outputs, error }),
    warningsLeftOut,
    warnings: warnings.flatMap(({ path, code, failed_items: ofItems }) =>
      ofItems === undefined ? `${path} ${code}` : [],
    ),
    calls: of('attempt_started').map(({ path, attempt }) => `${path}#${attempt}`),
    ends: Object.fromEntries(ended.map((event) => [event.path, event.status])),
    left: Object.fromEntries(
      of('step_finished').flatMap((event) =>
        event.outputs === undefined ? [] : [[event.path, event.outputs] as const],
      ),
    ),
    waits: of('waiting').map(({ path, reason, until }) => `${path} ${reason}${since(until)}`),
    asked: of('waiting').flatMap(({ path, reason, calls = 0, not_covered = 0 }) =>
      reason === 'approval' ? [`${path} ${calls} ${not_covered}`] : [],
    ),
    log: of('logged').map(({ path, level, message }) => `${path} ${level} ${message}`),
  }
}
