import type { TimedRunEvent } from '../../core/events.ts'
import type { RunRecord, StepRecord } from '../../engine/embedded/index.ts'
import { placesOf } from '../run/follow/places.ts'

/** Passes on what happens, but for what a resumed run only goes over again. */
export interface ReplayFilter {
  onEvent(event: TimedRunEvent): void
  /** Before the first event: the run as it stands once it has been opened again. */
  begin(run: Pick<RunRecord, 'steps'>): void
}

/** A step that had ended before was told of before: its events are left out. */
export function skipReplay(onEvent: ((event: TimedRunEvent) => void) | undefined): ReplayFilter {
  let before: ReadonlyMap<string, StepRecord['status']> = new Map()
  const isReplay = (event: TimedRunEvent): boolean => {
    if (!('path' in event)) return false
    const status = placesOf(event.path)
      .map((place) => before.get(place))
      .findLast((known) => known !== undefined)
    if (status === undefined || open.has(status)) return false
    return event.type !== 'step_finished' || event.status === status
  }
  return {
    onEvent(event) {
      if (!isReplay(event)) onEvent?.(event)
    },
    begin({ steps }) {
      before = new Map(steps.map(({ path, status }) => [path, status]))
    },
  }
}

const open: ReadonlySet<StepRecord['status']> = new Set(['pending', 'running', 'interrupted'])
