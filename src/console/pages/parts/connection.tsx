import { type Signal, signal } from '@preact/signals'
import type { VNode } from 'preact'

/** How the page follows the server. `still`: it does not, it shows what was. */
export const connection: Signal<'still' | 'live' | 'asking' | 'away' | 'logged-out'> = signal('still')

const words = {
  still: undefined,
  live: ['live', 'Changes arrive as they happen.'],
  asking: ['every 5 s', 'No stream arrives here: the page asks every 5 seconds.'],
  away: [
    'no answer',
    'The server does not answer. The page shows what was, and tries again every 5 seconds.',
  ],
  'logged-out': [
    'logged out',
    'The session has ended. The page shows what was. Open a new one in another tab, and this page continues.',
  ],
} as const

/** Says how the page follows the server. */
export function ConnectionState(): VNode {
  const said = words[connection.value]
  return (
    <span class={`connection ${connection.value}`} title={said?.[1]} role="status">
      {connection.value === 'logged-out' ? <a href="/login">{said?.[0]}</a> : said?.[0]}
    </span>
  )
}
