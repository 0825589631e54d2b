import { type Signal, signal } from '@preact/signals'
import type { VNode } from 'preact'

/** How the page follows the server. `still`: it does not, it shows what was. */
export const connection: Signal<'still' | 'live' | 'asking' | 'away'> = signal('still')

const words = {
  still: undefined,
  live: ['live', 'Changes arrive as they happen.'],
  asking: ['every 5 s', 'No stream arrives here: the page asks every 5 seconds.'],
  away: [
    'no answer',
    'The server does not answer. The page shows what was, and tries again every 5 seconds.',
  ],
} as const

/** Says how the page follows the server. */
export function Connection(): VNode {
  const said = words[connection.value]
  return (
    <span class={`connection ${connection.value}`} title={said?.[1]} role="status">
      {said?.[0]}
    </span>
  )
}
