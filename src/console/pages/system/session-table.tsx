import type { VNode } from 'preact'
import type { SessionDocument } from '../../../documents/index.ts'
import { useProof } from '../acts/shown-state.ts'
import { Moment } from '../parts/moment.tsx'
import { Table } from '../parts/table.tsx'

/** Who has logged in with a browser. An admin can end each session. */
export function SessionTable({ sessions }: { readonly sessions: readonly SessionDocument[] }): VNode {
  const csrf = useProof('admin')
  return (
    <section class="part">
      <h2>Sessions</h2>
      <Table
        caption="Open sessions of browsers, newest first"
        columns={['Who', 'Roles', { figure: 'Since' }, { figure: 'Until' }, { unseen: 'End it' }]}
      >
        {sessions.map(({ id, by, roles, since, until, is_own }) => (
          <tr key={id}>
            <td class="strong">
              {by.name}
              {is_own ? <span class="dim"> this one</span> : null}
            </td>
            <td class="wide">{roles.join(', ')}</td>
            <td class="figure">
              <Moment at={since} />
            </td>
            <td class="figure">
              <Moment at={until} />
            </td>
            <td class="figure">
              {csrf === undefined ? null : (
                <form method="post" action={`/sessions/${encodeURIComponent(id)}/end`}>
                  <input type="hidden" name="csrf" value={csrf} />
                  <button type="submit">
                    End<span class="unseen"> the session of {by.name}</span>
                  </button>
                </form>
              )}
            </td>
          </tr>
        ))}
      </Table>
    </section>
  )
}
