import type { VNode } from 'preact'
import type { StateOf } from '../page-state.ts'

/** What went wrong with an address, and what to do. */
export function ProblemPage({ data }: StateOf<'problem'>): VNode {
  const { title, code, detail, hint } = data.problem
  return (
    <section class="card narrow">
      <h1>{title ?? 'This did not work'}</h1>
      <p>
        <span class="code">{code}</span> {detail}
      </p>
      {hint?.split('\n').map((line) => (
        <p key={line} class="dim">
          {line}
        </p>
      ))}
      <p>
        <a href="/">See what happens now</a>
      </p>
    </section>
  )
}
