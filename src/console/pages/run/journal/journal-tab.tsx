import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { useEffect } from 'preact/hooks'
import type { JournalDocument, JournalEvent } from '../../../../documents/index.ts'
import { pageSizes } from '../../../page-sizes.ts'
import { read } from '../../parts/follow.ts'
import { localTimeText } from '../../parts/moment.tsx'
import { figure } from '../../parts/numbers.ts'
import { Table } from '../../parts/table.tsx'
import type { LiveRun } from '../live-run.ts'
import { stepHref } from '../step/step-href.ts'
import { journalEventText } from './event-text.ts'

/** Everything that happened, in its order, a page at a time. */
export function JournalTab({
  runId,
  first,
  live,
}: {
  readonly runId: string
  readonly first: JournalDocument | undefined
  readonly live: LiveRun
}): VNode {
  const page = useSignal<JournalDocument>(first ?? { events: [] })
  const { events, next } = page.value
  const readMore = async (): Promise<void> => {
    const after = page.peek().events.at(-1)?.seq ?? 0
    const found = await read<JournalDocument>(
      `/api/v1/runs/${encodeURIComponent(runId)}/journal?after=${after}&limit=${pageSizes.journal}`,
    )
    page.value = { ...found, events: [...page.peek().events, ...found.events] }
  }
  const { last_at } = live.head.value
  useEffect(() => {
    if (page.peek().next === undefined && (page.peek().events.at(-1)?.at ?? '') < (last_at ?? ''))
      readMore().catch(() => {})
  }, [last_at])
  if (events.length === 0) return <p class="empty">Nothing has happened yet.</p>
  return (
    <section aria-label="Journal">
      <Table
        kind="rows dense journal"
        caption="Events in their order"
        columns={[{ figure: 'No.' }, 'Time', 'Step', 'Event']}
      >
        {events.map((event) => (
          <EventRow key={event.seq} event={event} runId={runId} />
        ))}
      </Table>
      {next === undefined ? null : (
        <p class="pager">
          <span class="dim">{figure(events.length)} shown</span>
          <a
            class="button"
            href={`/runs/${encodeURIComponent(runId)}?tab=journal&after=${events.at(-1)?.seq}`}
            onClick={(event) => {
              event.preventDefault()
              readMore().catch(() => {})
            }}
          >
            Show 200 more
          </a>
        </p>
      )}
    </section>
  )
}

function EventRow({ event, runId }: { readonly event: JournalEvent; readonly runId: string }): VNode {
  const { seq, at, path, item } = event
  const { text, tone, code } = journalEventText(event)
  return (
    <tr>
      <td class="figure dim">{seq}</td>
      <td class="clock">
        <time dateTime={at} title={localTimeText(at)}>
          {at.slice(11, 23)}
        </time>
      </td>
      <td class="path">
        {path === undefined ? null : <a href={stepHref(runId, path)}>{path}</a>}
        {item === undefined ? null : (
          <span class="dim"> {typeof item === 'string' ? item : JSON.stringify(item)}</span>
        )}
      </td>
      <td class={`wide ${tone}`}>
        {code === undefined ? null : <span class="code">{code} </span>}
        {text}
      </td>
    </tr>
  )
}
