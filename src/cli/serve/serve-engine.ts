import type { EventBook } from '../../engine/event-book.ts'
import type { BackgroundWork } from '../../triggers/serve/background.ts'

/** What `serve` needs of an engine. */
export interface ServeEngine {
  readonly book: EventBook
  /** In the order in which it begins; it ends in the other one. */
  readonly background: readonly BackgroundWork[]
  /** Why no event can be taken now. Undefined: one can. Holds no secret: whoever asks is told. */
  whyNotReady(): Promise<string | undefined>
  close(): Promise<void>
}
