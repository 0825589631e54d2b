import { type Signal, signal } from '@preact/signals'
import type { InboxDocument } from '../../../documents/index.ts'
import { pageSizes } from '../../page-sizes.ts'
import { read } from './follow.ts'

/** How much waits for a person, as the page has read it last. Undefined: as the server has rendered it. */
export const waitingCount: Signal<number | undefined> = signal(undefined)

/** Reads what waits for a person, and counts it for the head of the page. */
export async function fetchInbox(): Promise<InboxDocument> {
  const inbox = await read<InboxDocument>(`/api/v1/inbox?limit=${pageSizes.inbox}`)
  waitingCount.value = inbox.waiting.length
  return inbox
}
