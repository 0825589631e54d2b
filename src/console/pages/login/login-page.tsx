import type { VNode } from 'preact'
import type { StateOf } from '../page-state.ts'

/** The way in: the button of a one-time address, or where to get one. Works without scripts. */
export function LoginPage({ data }: StateOf<'login'>): VNode {
  const { code } = data
  return (
    <section class="card narrow">
      <h1>Open the console</h1>
      {code === undefined ? (
        <>
          <p>
            This page needs a session. On the machine of the console, this prints an address that opens one:
          </p>
          <pre>opsbook console</pre>
          <p class="dim">The address works once, within 60 seconds.</p>
        </>
      ) : (
        <>
          <p>The button opens one session in this browser. The address works once.</p>
          <form method="post" action="/login">
            <input type="hidden" name="code" value={code} />
            <button type="submit" class="main">
              Open the console
            </button>
          </form>
        </>
      )}
    </section>
  )
}
