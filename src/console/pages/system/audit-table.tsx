import type { VNode } from 'preact'
import type { AuditRow } from '../../../documents/index.ts'
import { ExactMoment } from '../parts/moment.tsx'
import { Status } from '../parts/status.tsx'
import { Table } from '../parts/table.tsx'

/** Who did what here lately, and what was refused. */
export function AuditTable({ audit }: { readonly audit: readonly AuditRow[] }): VNode {
  return (
    <section class="part">
      <h2>Audit</h2>
      {audit.length === 0 ? (
        <p class="empty calm">Nobody has done anything here yet.</p>
      ) : (
        <Table caption="The last acts, newest first" columns={['Outcome', 'Who', 'Act', { figure: 'When' }]}>
          {audit.map((row) => (
            <RowOfAct key={row.id} row={row} />
          ))}
        </Table>
      )}
      <p class="dim">
        <code>opsbook audit</code> lists all of them.
      </p>
    </section>
  )
}

const signs = { done: 'ok', refused: 'warn', failed: 'fail' } as const

function RowOfAct({ row }: { readonly row: AuditRow }): VNode {
  const { at, by, address, act, subject, outcome, code, count = 1 } = row
  const { run, ...others } = subject
  return (
    <tr>
      <td>
        <Status status={outcome === undefined ? 'unknown' : signs[outcome]} word={outcome ?? 'no outcome'} />
      </td>
      <td>
        <span class="strong">{by?.name ?? 'nobody'}</span> <span class="dim">from {address}</span>
      </td>
      <td class="wide act-line">
        {act} {run === undefined ? null : <a href={`/runs/${encodeURIComponent(run)}`}>{run}</a>}{' '}
        {Object.values(others).join(' ')}
        {code === undefined ? null : (
          <>
            {' '}
            <span class="code">{code}</span>
          </>
        )}
        {count > 1 ? <span class="dim">, {count} times</span> : null}
      </td>
      <td class="figure">
        <ExactMoment at={at} />
      </td>
    </tr>
  )
}
