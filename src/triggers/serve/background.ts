/** Work that goes on beside the hooks as long as `serve` does: the scheduler, the delivery of messages. */
export interface BackgroundWork {
  /** Begins. What it rejects with ends `serve` before it takes any event. */
  start(): Promise<void>
  /** Takes on nothing new, and resolves when what it is at is over. */
  stop(): Promise<void>
}
