import type { TimedRunEvent } from '../../../core/events.ts'

/** Somebody who shows a run while it goes on. */
export interface Follower {
  take(event: TimedRunEvent): void
  /** Something people should know now that is no event, such as what Ctrl-C did. */
  say(text: string): void
  /** Leaves the screen to a question. */
  pause(): void
  /** Takes it back. */
  goOn(): void
  /** Stops showing. `isKept`: what is on the screen stays there. */
  end(how: { readonly isKept: boolean }): void
}

/** Shows nothing. */
export const silentFollower: Follower = { take() {}, say() {}, pause() {}, goOn() {}, end() {} }
