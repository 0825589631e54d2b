import type { VNode } from 'preact'

const linked =
  /("opsbook show run_[a-z0-9_]+"|"opsbook (?:runs|inbox|events|schedules)"|\brun_\d{8}_\d{6}_[a-z0-9]+\b)/

/** A text of the command line: its runs are links, and its commands are the pages that show the same. */
export function LinkedText({ text }: { readonly text: string }): VNode {
  return (
    <>{text.split(linked).map((part, at) => (at % 2 === 0 ? part : <PageLink key={at} part={part} />))}</>
  )
}

function PageLink({ part }: { readonly part: string }): VNode {
  const [, command = 'show', run = part] = /^"opsbook (\w+)(?: (\w+))?"$/.exec(part) ?? []
  if (command === 'show') return <a href={`/runs/${encodeURIComponent(run)}`}>{run}</a>
  return <a href={`/${command}`}>the page {`"${command.slice(0, 1).toUpperCase()}${command.slice(1)}"`}</a>
}
