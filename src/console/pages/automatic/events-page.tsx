import type { VNode } from 'preact'
import type { EventDecision, EventRecord, RefusedDelivery } from '../../../core/triggers/index.ts'
import type { StateOf } from '../page-state.ts'
import { LongText } from '../parts/long-text.tsx'
import { ExactMoment } from '../parts/moment.tsx'
import { Status } from '../parts/status.tsx'
import { Table } from '../parts/table.tsx'
import { eventHref } from './event-href.ts'
import { NoStart } from './no-start.tsx'
import { PauseNotice } from './pause-notice.tsx'
import { SendAgain, TriggerSwitch } from './switches.tsx'

/** Received events, and what was decided of each, with the reason. */
export function EventsPage({ data }: StateOf<'events'>): VNode {
  const { refused } = data
  const { events, paused } = data.events
  return (
    <>
      <h1>Events</h1>
      <PauseNotice paused={paused} />
      <div class="controls">
        <TriggerSwitch paused={paused} back="events" />
      </div>
      {events.length === 0 ? (
        <p class="empty">
          No event was received. <code>opsbook serve</code> receives them: name a hook in{' '}
          <code>opsbook.yaml</code>, and let a runbook start on it by <code>triggers</code>.
        </p>
      ) : (
        <Table
          caption="Received events, newest first"
          columns={['Event', 'Decisions', { figure: 'Received' }]}
        >
          {events.map((event) => (
            <EventRow key={`${event.hook}/${event.event_id}`} event={event} />
          ))}
        </Table>
      )}
      {refused.length === 0 ? null : <RefusedTable refused={refused} />}
    </>
  )
}

function RefusedTable({ refused }: { readonly refused: readonly RefusedDelivery[] }): VNode {
  return (
    <>
      <h2>Refused deliveries</h2>
      <p class="dim">
        Nothing of them was recorded or started. <code>opsbook events --refused</code> lists all of them.
      </p>
      <Table caption="Refused deliveries, newest first" columns={['Hook', 'Refused', { figure: 'Last' }]}>
        {refused.map(({ hook, status, reason, count, first_at, last_at }) => (
          <tr key={`${first_at} ${hook} ${reason}`}>
            <td>{hook ?? '–'}</td>
            <td class="wide">
              {reason}
              <span class="why">
                HTTP {status}
                {count > 1 ? `, ${count} times` : ''}
              </span>
            </td>
            <td class="figure">
              <ExactMoment at={last_at} />
            </td>
          </tr>
        ))}
      </Table>
    </>
  )
}

/** One event: what it held, and what was decided of it with which values. */
export function EventPage({ data, at }: StateOf<'event'>): VNode {
  const { event, started } = data
  const { hook, event_id, body, starts } = event
  return (
    <>
      <h1>
        {hook} <span class="id">{event_id}</span>
      </h1>
      <Table columns={['Event', 'Decisions', { figure: 'Received' }]}>
        <EventRow event={event} />
      </Table>
      <div class="controls">
        <SendAgain event={event} at={at} />
      </div>
      <section class="part step-page">
        {starts.map(({ runbook, trigger, details }) =>
          details === undefined ? null : (
            <section key={`${runbook} ${trigger}`}>
              <h2>Values for {runbook}</h2>
              <LongText>{JSON.stringify(details, null, 2)}</LongText>
            </section>
          ),
        )}
        {started.map(({ run_id, runbook, inputs }) => (
          <section key={run_id}>
            <h2>Inputs of the run of {runbook}</h2>
            <p>
              <a href={`/runs/${run_id}`}>{run_id}</a>
            </p>
            <LongText>{JSON.stringify(inputs, null, 2)}</LongText>
          </section>
        ))}
        <h2>What it held</h2>
        {body === undefined ? (
          <p class="dim">It was too large to be kept.</p>
        ) : (
          <LongText>{JSON.stringify(body, null, 2)}</LongText>
        )}
      </section>
    </>
  )
}

function EventRow({ event }: { readonly event: EventRecord }): VNode {
  const { hook, event_id, type, received_at, deliveries, starts, taken = [] } = event
  return (
    <tr>
      <td>
        <span class="strong">{hook}</span>{' '}
        <a class="path" href={eventHref(hook, event_id)}>
          {event_id}
        </a>
        <span class="why">
          {type}
          {deliveries > 1 ? `, delivered ${deliveries} times` : ''}
        </span>
      </td>
      <td class="wide">
        {starts.length === 0 && taken.length === 0 ? <span class="dim">no trigger matched</span> : null}
        <ul class="plain">
          {starts.map((decision) => (
            <li key={`${decision.runbook} ${decision.trigger}`}>
              <Decision decision={decision} />
            </li>
          ))}
          {taken.map(({ run_id, path }) => (
            <li key={`${run_id} ${path}`}>
              taken by <a href={`/runs/${run_id}`}>{run_id}</a> at <span class="path">{path}</span>
            </li>
          ))}
        </ul>
      </td>
      <td class="figure">
        <ExactMoment at={received_at} />
      </td>
    </tr>
  )
}

function Decision({ decision }: { readonly decision: EventDecision }): VNode {
  const { runbook, run_id, because, message } = decision
  if (because === undefined)
    return (
      <>
        <Status status="started" /> <a href={`/runs/${run_id}`}>{runbook}</a>
      </>
    )
  return (
    <>
      <NoStart because={because} /> {runbook}
      {message === undefined ? null : <span class="why">{message}</span>}
    </>
  )
}
