import type { VNode } from 'preact'
import type { SessionDocument } from '../../../documents/index.ts'
import { useProof } from '../acts/shown-state.ts'
import { Moment } from '../parts/moment.tsx'

/** Who has logged in with a browser. An admin can end each session. */
export function SessionTable({ sessions }: { readonly sessions: readonly SessionDocument[] }): VNode {
  const csrf = useProof('admin')
  return (
    <section class="part">
      <h2>Sessions</h2>
      <table class="rows stack">
        <caption class="unseen">Open sessions of browsers, newest first</caption>
        <thead>
          <tr>
            <th scope="col">Who</th>
            <th scope="col">Roles</th>
            <th scope="col" class="figure">
              Since
            </th>
            <th scope="col" class="figure">
              Until
            </th>
            <th scope="col">
              <span class="unseen">End it</span>
            </th>
          </tr>
        </thead>
        <tbody>
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
        </tbody>
      </table>
    </section>
  )
}
