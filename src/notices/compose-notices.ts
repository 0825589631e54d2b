import { randomUUID } from 'node:crypto'
import type { ComposeNotice, Notice } from '../engine/embedded/index.ts'
import { type NoticePlaceFacts, noticeDocument } from './notice-document.ts'
import { slackText } from './slack-text.ts'

/** How a message is written. */
export type NoticeFormat = 'slack' | 'json'

/** Somebody who is told. */
export interface NoticeTarget {
  /** What is told. */
  readonly on: readonly string[]
  /** Where the address is found, such as `env:CHAT_URL`. Never the address itself: it may be a secret. */
  readonly reference: string
  readonly format: NoticeFormat
}

/** Where a run can be found: whoever reads of it sits elsewhere. */
export interface NoticePlace {
  /** As programs are told. */
  readonly facts: NoticePlaceFacts
  /** As people are told: `on ops-1, in /srv/opsbook`. */
  readonly text: string
  /** What belongs at the end of commands that are named, such as `--data-dir /srv/opsbook`. */
  readonly flags: string
}

/** What messages are made with. */
export interface ComposeOptions {
  readonly targets: readonly NoticeTarget[]
  readonly place: NoticePlace
  /**
   * The runs work in a sandbox: each message says so.
   * @default false
   */
  readonly isSandbox?: boolean
  /** Takes out of a text what is not to be shown. */
  readonly mask: (text: string) => string
}

/** The messages that go out for a notice: one for each target that wants to know of it. */
export function composeNotices({ targets, place, isSandbox = false, mask }: ComposeOptions): ComposeNotice {
  return (notice) =>
    targets
      .filter(({ on }) => on.includes(notice.kind))
      .map(({ reference, format }) => {
        const id = randomUUID()
        const document = noticeDocument(masked(notice, mask), id, { place, isSandbox })
        const body = format === 'slack' ? { text: slackText(document, place) } : document
        return { id, target: reference, body: JSON.stringify(body) }
      })
}

function masked(notice: Notice, mask: (text: string) => string): Notice {
  const { title, message } = notice
  return { ...notice, message: mask(message), ...(title === undefined ? {} : { title: mask(title) }) }
}
