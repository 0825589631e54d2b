import type { VNode } from 'preact'
import { formatDuration } from '../../../core/times/index.ts'
import type { ScheduleFire, ScheduleRecord } from '../../../core/triggers/index.ts'
import type { OwnRunbooks, StateOf } from '../page-state.ts'
import { Moment } from '../parts/moment.tsx'
import { RunbookLink } from '../parts/runbook-link.tsx'
import { Status } from '../parts/status.tsx'
import { Table } from '../parts/table.tsx'
import { NoStart } from './no-start.tsx'
import { PauseNotice } from './pause-notice.tsx'
import { ScheduleSwitches, TriggerSwitch } from './switches.tsx'

/** The schedules: when they start next, and what came of their last times. */
export function SchedulesPage({ data }: StateOf<'schedules'>): VNode {
  const { schedules, paused, is_served } = data.schedules
  return (
    <>
      <h1>Schedules</h1>
      <PauseNotice paused={paused} />
      <div class="controls">
        <TriggerSwitch paused={paused} back="schedules" />
      </div>
      {is_served === false && schedules.length > 0 ? (
        <p class="notice held">
          No process executes them now. Start <code>opsbook serve</code>.
        </p>
      ) : null}
      {schedules.length === 0 ? (
        <p class="empty">
          No runbook here has a schedule. Add one to a runbook by <code>triggers</code>, and start{' '}
          <code>opsbook serve</code>.
        </p>
      ) : (
        <Table caption="Schedules" columns={['State', 'Schedule', 'Times', 'Next', 'Last']}>
          {schedules.map((schedule) => (
            <ScheduleRow
              key={schedule.id}
              schedule={schedule}
              own={data.own_runbooks}
              isAllPaused={paused !== undefined}
            />
          ))}
        </Table>
      )}
    </>
  )
}

function ScheduleRow(props: {
  readonly schedule: ScheduleRecord
  readonly own: OwnRunbooks
  readonly isAllPaused: boolean
}): VNode {
  const { schedule, own, isAllPaused } = props
  const { id, runbook, state, cron, every_ms, timezone, next, last, missed, problem, paused } = schedule
  return (
    <tr>
      <td>
        <Status status={state} />
      </td>
      <td class="wide">
        <RunbookLink name={runbook} own={own} isStrong />
        {id === runbook ? null : <span class="why id">{id}</span>}
        {problem === undefined ? null : <span class="why bad">{problem}</span>}
        {paused?.by === undefined ? null : <span class="why">paused by {paused.by.name}</span>}
        <ScheduleSwitches schedule={schedule} isAllPaused={isAllPaused} />
      </td>
      <td>
        {cron === undefined ? (
          every_ms === undefined ? (
            ''
          ) : (
            `every ${formatDuration(every_ms)}`
          )
        ) : (
          <code>{cron}</code>
        )}
        <span class="why">{timezone}</span>
      </td>
      <td data-word={next.length > 0 ? 'next' : undefined}>
        {state === 'paused' && next.length > 0 ? <span class="why held">once it is resumed</span> : null}
        <ul class="plain">
          {next.slice(0, 3).map((at) => (
            <li key={at}>
              <Moment at={at} />
            </li>
          ))}
        </ul>
      </td>
      <td data-word={last.length > 0 ? 'last' : undefined}>
        <ul class="plain">
          {last.slice(0, 3).map((fire) => (
            <li key={fire.at}>
              <Fire fire={fire} />
            </li>
          ))}
        </ul>
        {missed > 0 ? <span class="why held">{missed} missed</span> : null}
      </td>
    </tr>
  )
}

function Fire({ fire: { at, run_id, because } }: { readonly fire: ScheduleFire }): VNode {
  return (
    <>
      <Moment at={at} />{' '}
      {because === undefined ? <a href={`/runs/${run_id}`}>started</a> : <NoStart because={because} />}
    </>
  )
}
