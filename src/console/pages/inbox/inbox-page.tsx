import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { useEffect } from 'preact/hooks'
import type { StateOf } from '../page-state.ts'
import { follow } from '../parts/follow.ts'
import { fetchInbox } from '../parts/waiting-count.ts'
import { InboxList } from './inbox-list.tsx'

/** Open questions and unresolved outcomes. */
export function InboxPage({ data }: StateOf<'inbox'>): VNode {
  const inbox = useSignal(data.inbox)
  useEffect(() => {
    const ask = async (): Promise<void> => {
      inbox.value = await fetchInbox()
    }
    return follow({
      topics: ['inbox'],
      take: { inbox: () => void ask().catch(() => {}) },
      ask,
    })
  }, [inbox])
  const count = inbox.value.waiting.length
  return (
    <>
      <div class="head">
        <h1>Inbox</h1>
        <span class="dim" role="status">
          {count === 0 ? '' : `${count} waiting for a person`}
        </span>
      </div>
      <InboxList inbox={inbox.value} />
    </>
  )
}
