import type { VNode } from 'preact'
import type { RunSummary } from '../../../core/record/index.ts'
import { Duration, ExactMoment } from '../parts/moment.tsx'
import { Status } from '../parts/status.tsx'
import { Table } from '../parts/table.tsx'
import { WaitWords } from '../parts/waits.tsx'

/** Runs as rows: state, runbook, what started it, when, how long. */
export function RunTable({
  runs,
  caption = 'Runs, newest first',
}: {
  readonly runs: readonly RunSummary[]
  readonly caption?: string
}): VNode {
  return (
    <Table
      kind="rows runs"
      caption={caption}
      columns={['Status', 'Runbook', 'Run', 'Started by', { figure: 'Started' }, { figure: 'Took' }]}
    >
      {runs.map((run) => (
        <RunRow key={run.run_id} run={run} />
      ))}
    </Table>
  )
}

function RunRow({ run }: { readonly run: RunSummary }): VNode {
  const {
    run_id,
    runbook,
    title,
    status,
    labels,
    error,
    place_in_line: place,
    key,
    started_at,
    ended_at,
  } = run
  const { current_step: step } = run
  return (
    <tr>
      <td class="state">
        <Status status={status} />
      </td>
      <td class="what">
        <a href={`/runs/${run_id}`}>{runbook}</a>
        {title === undefined ? null : <span class="dim"> {title}</span>}
        {Object.entries(labels).map(([name, value]) => (
          <a key={name} class="label" href={`/runs?label=${encodeURIComponent(`${name}=${value}`)}`}>
            {name}={value}
          </a>
        ))}
        {error === undefined ? null : (
          <span class="why">
            <span class="code">{error.code}</span> {error.message}
          </span>
        )}
        {step === undefined ? null : (
          <span class="why">
            at <code>{step.path}</code>
            {step.reason === undefined ? null : (
              <>
                {': '}
                <WaitWords
                  reason={step.reason}
                  {...(step.until === undefined ? {} : { until: step.until })}
                />
              </>
            )}
          </span>
        )}
        {place === undefined ? null : (
          <span class="why">
            waits in line: {place.before.length} before it with the key {place.key}
          </span>
        )}
      </td>
      <td class="id">
        {run_id.replace(/^run_/, '')}
        {key === undefined ? null : <span class="dim"> {key}</span>}
      </td>
      <td class="by">{starterText(run)}</td>
      <td class="figure">
        <ExactMoment at={started_at} />
      </td>
      <td class="figure">{status === 'queued' ? '' : <Duration from={started_at} to={ended_at} />}</td>
    </tr>
  )
}

/** Who or what started a run. */
export function starterText({ started_by, started_from }: RunSummary): string {
  if (started_from?.kind === 'event') return `event of ${started_from.hook}`
  if (started_from?.kind === 'schedule') return `schedule ${started_from.schedule}`
  return started_by?.name ?? ''
}
