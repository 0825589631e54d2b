import type { VNode } from 'preact'
import { formatDuration } from '../../../core/duration.ts'
import type { SchedulesDocument, TriggerDocument } from '../page-state.ts'
import { Moment } from '../parts/moment.tsx'
import { Status } from '../parts/status.tsx'

/** What starts a runbook by itself, and when next: where that is paused, no time. */
export function TriggerLines(props: {
  readonly runbook: string
  readonly triggers: readonly TriggerDocument[]
  readonly schedules: SchedulesDocument | undefined
  /** It cannot be loaded. */
  readonly isBroken: boolean
}): VNode {
  const { runbook, triggers, schedules, isBroken } = props
  if (isBroken) return <Status status="broken" word="not known: it cannot be loaded" />
  if (triggers.length === 0) return <span class="dim">by hand</span>
  return (
    <ul class="plain">
      {triggers.map((trigger, place) => {
        const { type, hook, where, cron, every_ms, timezone } = trigger
        return (
          <li key={`${type} ${hook} ${cron} ${every_ms} ${where}`}>
            {type === 'incident' ? (
              <>
                on an event{hook === undefined ? '' : ` of ${hook}`}
                {schedules?.paused === undefined ? null : <Paused />}
                {where === undefined ? null : (
                  <span class="why">
                    where <code>{where}</code>
                  </span>
                )}
              </>
            ) : (
              <>
                {cron === undefined ? `every ${formatDuration(every_ms ?? 0)}` : <code>{cron}</code>}{' '}
                <span class="dim">{timezone}</span>
                <Next trigger={trigger} isPaused={isPausedIn(schedules, runbook, place)} />
              </>
            )}
          </li>
        )
      })}
    </ul>
  )
}

function Next({
  trigger: { next = [] },
  isPaused,
}: {
  readonly trigger: TriggerDocument
  readonly isPaused: boolean
}): VNode | null {
  if (isPaused) return <Paused />
  const [at] = next
  return at === undefined ? null : (
    <span class="why">
      next <Moment at={at} />
    </span>
  )
}

function Paused(): VNode {
  return (
    <span class="why">
      <Status status="paused" />
    </span>
  )
}

function isPausedIn(schedules: SchedulesDocument | undefined, runbook: string, trigger: number): boolean {
  if (schedules === undefined) return false
  const found = schedules.schedules.find((one) => one.runbook === runbook && one.trigger === trigger)
  return schedules.paused !== undefined || found?.state === 'paused'
}
