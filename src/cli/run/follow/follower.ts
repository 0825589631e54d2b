import type { TimedRunEvent } from '../../../core/events.ts'

/** Shows a run while it is executed. */
export interface Follower {
  take(event: TimedRunEvent): void
  /** Something the user should know now that is no event, such as what Ctrl-C did. Also after the end. */
  say(text: string): void
  /** Leaves the screen to a question. */
  pause(): void
  /** Takes the screen back after a question. */
  continue(): void
  /** Stops showing. `isKept`: what is on the screen stays there. */
  end(how: { readonly isKept: boolean }): void
}

/** Shows nothing. */
export const silentFollower: Follower = { take() {}, say() {}, pause() {}, continue() {}, end() {} }
