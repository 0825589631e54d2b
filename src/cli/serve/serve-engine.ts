import type { EventBook } from '../../engine/event-book.ts'
import type { BackgroundWork } from '../../triggers/serve/background.ts'

/** What `serve` needs of an engine. */
export interface ServeEngine {
  readonly book: EventBook
  /** In the order in which it begins; it ends in the other one. */
  readonly background: readonly BackgroundWork[]
  /** An event can be taken now. */
  isReady(): boolean | Promise<boolean>
  close(): Promise<void>
}
