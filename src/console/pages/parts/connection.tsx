import { type Signal, signal } from '@preact/signals'
import type { VNode } from 'preact'
import { localTimeText } from './moment.tsx'

/** How the page follows the server. `still`: it does not, it shows what was. */
export const connection: Signal<'still' | 'live' | 'asking' | 'away' | 'logged-out'> = signal('still')

/** When the server has answered last, in Unix milliseconds. Undefined: when it made the page. */
const answeredAt: Signal<number | undefined> = signal(undefined)

/** The server has answered. After a new login the forms of the page are those of the session before. */
export function setConnectionState(now: 'live' | 'asking'): void {
  if (connection.value === 'logged-out') location.reload()
  connection.value = now
  answeredAt.value = Date.now()
}

const words = {
  live: ['live', 'Changes arrive as they happen.'],
  asking: ['live, every 5 s', 'The page asks every 5 seconds.'],
} as const

/** Says how the page follows the server. */
export function ConnectionState(): VNode | null {
  const now = connection.value
  const [word, about] = now === 'live' || now === 'asking' ? words[now] : []
  return (
    <span class={`connection ${now}`} title={about} role="status">
      {word}
    </span>
  )
}

/** Says that the page shows what was, and of when. `at`: when the server made it. */
export function ConnectionNotice({ at }: { readonly at: string }): VNode | null {
  const now = connection.value
  if (now !== 'away' && now !== 'logged-out') return null
  const time = localTimeText(new Date(answeredAt.value ?? at).toISOString())
  return (
    <p class="notice bad banner" role="alert">
      {now === 'away' ? (
        `Disconnected, showing ${time}. The page tries again every 5 seconds.`
      ) : (
        <>
          Logged out, showing {time}. <a href="/login">Log in</a> in another tab, and this page continues.
        </>
      )}
    </p>
  )
}
