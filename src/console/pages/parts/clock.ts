import { type Signal, signal } from '@preact/signals'

/** The time at the server, Unix time in milliseconds. In a browser it moves on once a second. */
export const clock: Signal<number> = signal(0)

/** Lets the clock run from the time at which the server rendered the page: the clock of the browser may be wrong. */
export function startClock(now: string): void {
  const ahead = Date.parse(now) - Date.now()
  clock.value = Date.now() + ahead
  setInterval(() => {
    if (document.visibilityState === 'visible') clock.value = Date.now() + ahead
  }, 1000)
}
