import type { VNode } from 'preact'
import type { StateOf } from '../page-state.ts'
import { LinkedText } from '../parts/linked-text.tsx'

/** What went wrong with an address, and what to do. */
export function ProblemPage({ data }: StateOf<'problem'>): VNode {
  const { title, code, detail, hint } = data.problem
  return (
    <section class="card narrow">
      <h1>{title ?? 'This did not work'}</h1>
      <p>
        <span class="code">{code}</span> <LinkedText text={detail ?? ''} />
      </p>
      {hint?.split('\n').map((line) => (
        <p key={line} class="dim">
          <LinkedText text={line} />
        </p>
      ))}
      <p>
        <a href="/">See what happens now</a>
      </p>
    </section>
  )
}
