import type { VNode } from 'preact'
import { identityText } from '../../../core/people/index.ts'
import type { PlaceInLine } from '../../../core/record/index.ts'
import { eventHref } from '../automatic/event-href.ts'
import type { OwnRunbooks, ShownRun } from '../page-state.ts'
import { FactLine } from '../parts/fact.tsx'
import { Duration, ExactMoment, Moment } from '../parts/moment.tsx'
import { RunbookLink } from '../parts/runbook-link.tsx'
import { Status } from '../parts/status.tsx'
import { starterText } from '../runs/run-table.tsx'
import type { LiveRun } from './live-run.ts'

/** What a run is, where it stands, and what it waits for. */
export function RunHeader(props: {
  readonly run: ShownRun
  readonly own: OwnRunbooks
  readonly live: LiveRun
  readonly hasInbox: boolean
}): VNode {
  const { run, own, live, hasInbox } = props
  const { runbook, title, status, ended_at, error, place_in_line: place, steps } = live.head.value
  // As in the list of runs: a run that was queued has waited since then.
  const { started_at } = run
  // What has an unknown outcome, and why, stands where it is resolved.
  const isSaidBelow = status === 'unknown' && hasInbox
  const labels = Object.entries(run.labels)
  const starter = starterText(run)
  const isOpen = ended_at === undefined
  const cancel =
    status === 'cancelled' ? run.control_requests?.find(({ kind }) => kind.startsWith('cancel')) : undefined
  return (
    <header class="about">
      <div class="head">
        <h1>{title ?? runbook}</h1>
        <span role="status" class="stand">
          <Status status={status} />
        </span>
      </div>
      <dl class="facts">
        <FactLine word="Runbook">
          <RunbookLink name={runbook} own={own} />
        </FactLine>
        <FactLine word="Run">
          <span class="id">{run.run_id}</span>
        </FactLine>
        <FactLine word="Started">
          <ExactMoment at={started_at} />
          {starter === '' ? '' : ' by '}
          {run.started_from?.kind === 'event' ? (
            <a href={eventHref(run.started_from.hook, run.started_from.event_id)}>{starter}</a>
          ) : (
            starter
          )}
        </FactLine>
        <FactLine word={isOpen ? 'Running for' : 'Took'}>
          {status === 'queued' ? '–' : <Duration from={started_at} to={ended_at} />}
        </FactLine>
        <FactLine word="Steps">
          {steps.ended} of {steps.total} ended
          {steps.failed > 0 ? <span class="bad">, {steps.failed} failed</span> : null}
        </FactLine>
        {labels.length === 0 ? null : (
          <FactLine word="Labels">
            {labels.map(([name, value]) => (
              <a key={name} class="label" href={`/runs?label=${encodeURIComponent(`${name}=${value}`)}`}>
                {name}={value}
              </a>
            ))}
          </FactLine>
        )}
      </dl>
      {cancel === undefined ? null : (
        <p class="notice held">
          Cancelled by {identityText(cancel.by)} <Moment at={cancel.at} />
          {cancel.comment === undefined ? '' : `: ${cancel.comment}`}
        </p>
      )}
      {error === undefined || isSaidBelow ? null : (
        <p class={`notice ${status === 'failed' ? 'bad' : 'held'}`}>
          <span class="code">{error.code}</span> {error.message}
          {error.path === undefined ? null : <span class="dim"> at {error.path}</span>}
        </p>
      )}
      {place === undefined ? null : <WaitsInLine place={place} />}
    </header>
  )
}

function WaitsInLine({ place: { key, before } }: { readonly place: PlaceInLine }): VNode {
  return (
    <p class="notice held">
      Waits in line with the key {key}: {before.length} before it,{' '}
      {before.map((id) => (
        <a key={id} href={`/runs/${id}`}>
          {id}{' '}
        </a>
      ))}
    </p>
  )
}
