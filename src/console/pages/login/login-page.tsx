import type { VNode } from 'preact'
import type { StateOf } from '../page-state.ts'

/** The way in: the provider or proxy that logs people in, the button of a one-time address, or where to get one. Works without scripts. */
export function LoginPage({ data }: StateOf<'login'>): VNode {
  const { code, provider, proxy, next = '/', name, problem, title } = data
  if (name !== undefined) return <Welcome name={name} next={next} />
  return (
    <section class="card narrow">
      <h1>{title ?? (problem === undefined ? 'Open the console' : 'You are not logged in')}</h1>
      {problem === undefined ? null : (
        <p role="alert">
          <span class="code">{problem.code}</span> {problem.detail}
        </p>
      )}
      {problem?.hint === undefined ? null : <p class="dim">{problem.hint}</p>}
      {code !== undefined ? (
        <CodeForm code={code} />
      ) : provider !== undefined ? (
        <ProviderLink provider={provider} next={next} isAgain={problem !== undefined} />
      ) : proxy !== undefined ? (
        <ProxyLink address={proxy} />
      ) : (
        <>
          <p>
            This page needs a session. On the machine of the console, this prints an address that opens one:
          </p>
          <pre>opsbook console</pre>
          <p class="dim">The address works once, within 60 seconds.</p>
        </>
      )}
    </section>
  )
}

function CodeForm({ code }: { readonly code: string }): VNode {
  return (
    <>
      <p>The button opens one session in this browser. The address works once.</p>
      <form method="post" action="/login">
        <input type="hidden" name="code" value={code} />
        <button type="submit" class="main">
          Open the console
        </button>
      </form>
    </>
  )
}

/** A link, and no form: browsers would not let a form of this page lead to another site. */
function ProviderLink(props: {
  readonly provider: string
  readonly next: string
  readonly isAgain: boolean
}): VNode {
  const { provider, next, isAgain } = props
  return (
    <>
      <p>
        <a class="button main" href={`/login/start?${new URLSearchParams({ next })}`}>
          {isAgain ? 'Log in again' : 'Log in'} at {provider}
        </a>
      </p>
      <p class="dim">
        On the machine of the console, <code>opsbook console</code> prints an address that opens a session
        without it.
      </p>
    </>
  )
}

function ProxyLink({ address }: { readonly address: string }): VNode {
  return (
    <>
      <p>
        A proxy logs people in to this console. Open it at <a href={address}>{address}</a>.
      </p>
      <p class="dim">If this is that address, the proxy names no user: ask who runs it.</p>
    </>
  )
}

/** The browser opens the next page by itself. */
function Welcome({ name, next }: { readonly name: string; readonly next: string }): VNode {
  return (
    <section class="card narrow">
      <h1>Welcome, {name}</h1>
      <p>
        <a class="button main" href={next}>
          Continue
        </a>
      </p>
    </section>
  )
}
