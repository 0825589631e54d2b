import type { VNode } from 'preact'
import type { LiveRun } from '../live-run.ts'
import { StepRow } from './step-row.tsx'

/** The steps as a tree, in the order of the runbook. */
export function StepsTab({ live, runId }: { readonly live: LiveRun; readonly runId: string }): VNode {
  const rows = live.rows.value
  if (rows.length === 0) return <p class="empty">Nothing has begun yet.</p>
  return (
    <table class="rows steps">
      <caption class="unseen">Steps, in the order of the runbook</caption>
      <thead>
        <tr>
          <th scope="col">Step</th>
          <th scope="col">Status</th>
          <th scope="col" class="figure">
            Calls
          </th>
          <th scope="col" class="figure">
            Started
          </th>
          <th scope="col" class="figure">
            Took
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ path, depth }) => (
          <StepRow key={path} node={live.node(path)} depth={depth} runId={runId} />
        ))}
      </tbody>
    </table>
  )
}
