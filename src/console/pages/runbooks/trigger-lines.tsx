import type { VNode } from 'preact'
import { formatDuration } from '../../../core/times/index.ts'
import type { Schedules, TriggerDocument } from '../../../documents/index.ts'
import { Moment } from '../parts/moment.tsx'
import { Status } from '../parts/status.tsx'

/** What starts a runbook by itself, and when next: where that is paused, no time. */
export function TriggerLines(props: {
  readonly runbook: string
  readonly triggers: readonly TriggerDocument[]
  readonly schedules: Schedules | undefined
  /** It cannot be loaded. */
  readonly isBroken: boolean
}): VNode {
  const { runbook, triggers, schedules, isBroken } = props
  if (isBroken) return <Status status="broken" word="not known: it cannot be loaded" />
  if (triggers.length === 0) return <span class="dim">by hand</span>
  return (
    <ul class="plain">
      {triggers.map((trigger, place) =>
        trigger.type === 'incident' ? (
          <li key={place}>
            on an event{trigger.hook === undefined ? '' : ` of ${trigger.hook}`}
            {schedules?.paused === undefined ? null : <Paused />}
            {trigger.where === undefined ? null : (
              <span class="why">
                where <code>{trigger.where}</code>
              </span>
            )}
          </li>
        ) : (
          <li key={place}>
            {trigger.cron === undefined ? (
              `every ${formatDuration(trigger.every_ms ?? 0)}`
            ) : (
              <code>{trigger.cron}</code>
            )}{' '}
            <span class="dim">{trigger.timezone}</span>
            <Next next={trigger.next} isPaused={isPausedIn(schedules, runbook, place)} />
          </li>
        ),
      )}
    </ul>
  )
}

function Next({
  next,
  isPaused,
}: {
  readonly next: readonly string[]
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

function isPausedIn(schedules: Schedules | undefined, runbook: string, trigger: number): boolean {
  if (schedules === undefined) return false
  const found = schedules.schedules.find((one) => one.runbook === runbook && one.trigger === trigger)
  return schedules.paused !== undefined || found?.state === 'paused'
}
