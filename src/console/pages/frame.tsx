import type { ComponentChildren, VNode } from 'preact'
import type { PageName, StateOf } from './page-state.ts'
import { ConnectionNotice, ConnectionState } from './parts/connection.tsx'
import { waitingCount } from './parts/waiting-count.ts'

interface Place {
  readonly href: string
  readonly word: string
  readonly pages: readonly string[]
}

const places: readonly Place[] = [
  { href: '/', word: 'Now', pages: ['now'] },
  { href: '/inbox', word: 'Inbox', pages: ['inbox'] },
  { href: '/runs', word: 'Runs', pages: ['runs', 'run', 'resume', 'decide'] },
  { href: '/runbooks', word: 'Runbooks', pages: ['runbooks', 'runbook', 'start'] },
  { href: '/events', word: 'Events', pages: ['events', 'event'] },
  { href: '/schedules', word: 'Schedules', pages: ['schedules'] },
  { href: '/system', word: 'System', pages: ['system'] },
]

/** What stands around every page: where one can go, and what one looks at. */
export function PageFrame(props: {
  readonly state: StateOf<PageName>
  readonly children: ComponentChildren
}): VNode {
  const { page, user, csrf, is_read_only, about } = props.state
  const waiting = waitingCount.value ?? props.state.waiting
  return (
    <>
      <a class="skip" href="#main">
        Skip to the contents
      </a>
      <header class="top">
        <a class="brand" href="/" aria-label="Opsbook, what happens now">
          <svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">
            <path d="M3 4.5h9M3 10h14M3 15.5h6" />
          </svg>
          Opsbook
        </a>
        {page === 'login' ? null : (
          <nav aria-label="Pages">
            <ul>
              {places.map(({ href, word, pages }) => (
                <li key={href}>
                  <a href={href} aria-current={pages.includes(page) ? 'page' : undefined}>
                    {word}
                    {href === '/inbox' && waiting ? (
                      <span class="count">
                        {waiting}
                        <span class="unseen"> waiting</span>
                      </span>
                    ) : null}
                  </a>
                </li>
              ))}
            </ul>
          </nav>
        )}
        <p class="who">
          <ConnectionState />
          {is_read_only ? <span class="tag">read only</span> : null}
          {user === undefined ? null : <span title={`Roles: ${user.roles.join(', ')}`}>{user.name}</span>}
        </p>
        {csrf === undefined ? null : (
          <form method="post" action="/logout">
            <input type="hidden" name="csrf" value={csrf} />
            <button type="submit" class="link">
              Log out
            </button>
          </form>
        )}
      </header>
      <ConnectionNotice at={props.state.at} />
      <main id="main" tabIndex={-1} class={`page-${page}`}>
        {props.children}
      </main>
      {about === undefined ? null : (
        <footer class="foot">
          <span>Opsbook {about.version}</span>
          <span>{about.engine === 'temporal' ? 'on Temporal' : 'embedded'}</span>
          <span class="path">{about.location}</span>
        </footer>
      )}
    </>
  )
}
