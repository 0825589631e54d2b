import type { VNode } from 'preact'
import type { StateOf } from '../page-state.ts'

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

const linked =
  /("opsbook show run_[a-z0-9_]+"|"opsbook (?:runs|inbox|events|schedules)"|\brun_\d{8}_\d{6}_[a-z0-9]+\b)/

/** A text of the command line: its runs are links, and its commands are the pages that show the same. */
function LinkedText({ text }: { readonly text: string }): VNode {
  return (
    <>{text.split(linked).map((part, at) => (at % 2 === 0 ? part : <PageLink key={at} part={part} />))}</>
  )
}

function PageLink({ part }: { readonly part: string }): VNode {
  const [, command = 'show', run = part] = /^"opsbook (\w+)(?: (\w+))?"$/.exec(part) ?? []
  if (command === 'show') return <a href={`/runs/${encodeURIComponent(run)}`}>{run}</a>
  return <a href={`/${command}`}>the page {`"${command.slice(0, 1).toUpperCase()}${command.slice(1)}"`}</a>
}
