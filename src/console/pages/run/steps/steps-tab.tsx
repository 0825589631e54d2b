import type { VNode } from 'preact'
import { Table } from '../../parts/table.tsx'
import type { LiveRow, LiveRun } from '../live-run.ts'
import { StepRow } from './step-row.tsx'

/** The steps as a tree, in the order of the runbook. */
export function StepsTab({ live, runId }: { readonly live: LiveRun; readonly runId: string }): VNode {
  const rows = live.rows.value
  if (rows.length === 0) return <p class="empty">Nothing has begun yet.</p>
  return (
    <Table
      kind="rows steps"
      caption="Steps, in the order of the runbook"
      columns={['Step', 'Status', { figure: 'Calls' }, { figure: 'Started' }, { figure: 'Took' }]}
    >
      {rows.map(({ path, depth }, place) => (
        <StepRow
          key={path}
          node={live.node(path)}
          inside={insideOf(rows, place).map((row) => live.node(row.path))}
          depth={depth}
          runId={runId}
        />
      ))}
    </Table>
  )
}

/** The rows one level below a row. */
function insideOf(rows: readonly LiveRow[], place: number): readonly LiveRow[] {
  const depth = rows[place]?.depth ?? 0
  const end = rows.findIndex((row, at) => at > place && row.depth <= depth)
  return rows.slice(place + 1, end < 0 ? undefined : end).filter((row) => row.depth === depth + 1)
}
