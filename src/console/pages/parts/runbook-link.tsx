import type { VNode } from 'preact'
import type { OwnRunbooks } from '../page-state.ts'

/** The name of a runbook. It leads to the page of the runbook, if there is one. */
export function RunbookLink(props: {
  readonly name: string
  readonly own: OwnRunbooks
  readonly isStrong?: true
}): VNode {
  const { name, own, isStrong } = props
  const look = isStrong ? 'strong' : undefined
  if (!own.some((one) => plain(one) === plain(name))) return <span class={look}>{name}</span>
  return (
    <a class={look} href={`/runbooks/${encodeURIComponent(name)}`}>
      {name}
    </a>
  )
}

/** Addresses take hyphens for underscores. */
function plain(name: string): string {
  return name.replaceAll('_', '-')
}
