import type { VNode } from 'preact'
import type { RunbookSummary, RunSummaryDocument, Schedules } from '../../../documents/index.ts'
import type { StateOf } from '../page-state.ts'
import { Moment } from '../parts/moment.tsx'
import { Status } from '../parts/status.tsx'
import { Table } from '../parts/table.tsx'
import { TriggerLines } from './trigger-lines.tsx'

/** The runbooks of the folder of the server. */
export function RunbooksPage({ data }: StateOf<'runbooks'>): VNode {
  const { runbooks } = data.runbooks
  return (
    <>
      <h1>Runbooks</h1>
      {runbooks.length === 0 ? (
        <p class="empty">
          There is no runbook in the folder <code>runbooks</code> where the server was started. Write one
          there: <code>opsbook init</code> makes the first.
        </p>
      ) : (
        <Table caption="Runbooks by name" columns={['Runbook', 'What it does', 'Starts', 'Last run']}>
          {runbooks.map((runbook) => (
            <RunbookRow
              key={runbook.file}
              runbook={runbook}
              last={data.last.find((run) => run.runbook === runbook.name)}
              schedules={data.schedules}
            />
          ))}
        </Table>
      )}
    </>
  )
}

function RunbookRow(props: {
  readonly runbook: RunbookSummary
  readonly last: RunSummaryDocument | undefined
  readonly schedules: Schedules | undefined
}): VNode {
  const { runbook, last, schedules } = props
  const { name, title, description, file, triggers, problem } = runbook
  return (
    <tr>
      <td>
        <a class="strong" href={`/runbooks/${encodeURIComponent(name)}`}>
          {name}
        </a>
        <span class="why path">{file}</span>
      </td>
      <td class="wide">
        {title}
        {description === undefined ? null : <span class="why">{description}</span>}
        {problem === undefined ? null : (
          <span class="why">
            <Status status="broken" word="cannot be loaded" />{' '}
            <span class="findings">{problem.message.trim()}</span>
          </span>
        )}
      </td>
      <td>
        <TriggerLines
          runbook={name}
          triggers={triggers}
          schedules={schedules}
          isBroken={problem !== undefined}
        />
      </td>
      <td data-word="last run">
        {last === undefined ? (
          <span class="dim">none yet</span>
        ) : (
          <>
            <a href={`/runs/${last.run_id}`}>
              <Status status={last.status} />
            </a>
            <span class="why">
              <Moment at={last.started_at} />
            </span>
          </>
        )}
      </td>
    </tr>
  )
}
