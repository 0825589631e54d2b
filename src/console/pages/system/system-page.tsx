import type { VNode } from 'preact'
import type { StateOf } from '../page-state.ts'
import { Status } from '../parts/status.tsx'
import { Table } from '../parts/table.tsx'
import { AuditTable } from './audit-table.tsx'
import { SessionTable } from './session-table.tsx'

/** The checks of `opsbook doctor`, where the console runs; for admins also who has logged in, and who did what. */
export function SystemPage({ data }: StateOf<'system'>): VNode {
  const { ok, version, checks } = data.system
  return (
    <>
      <div class="head">
        <h1>System</h1>
        <Status status={ok ? 'ok' : 'fail'} word={ok ? 'all checks pass' : 'some checks fail'} />
        <span class="dim">Opsbook {version}</span>
      </div>
      <Table caption="Checks of this machine and its connections" columns={['Status', 'Check', 'Result']}>
        {checks.map(({ name, status, message, hints = [] }) => (
          <tr key={`${name} ${message}`}>
            <td>
              <Status status={status} />
            </td>
            <td class="strong">{name}</td>
            <td class="wide">
              {message}
              {hints.map((hint) => (
                <span key={hint} class="why">
                  {hint}
                </span>
              ))}
            </td>
          </tr>
        ))}
      </Table>
      {data.sessions === undefined ? null : <SessionTable sessions={data.sessions} />}
      {data.audit === undefined ? null : <AuditTable audit={data.audit} />}
    </>
  )
}
