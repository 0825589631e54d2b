import { durationText } from '../../terminal/duration-text.ts'
import type { JournalEntry } from './entry.ts'
import type { Wait } from './waits.ts'

/** Why something waited, in words. */
const reasons: Readonly<Record<string, string>> = {
  retry: 'before it is tried again',
  throttle: 'since it was refused as too frequent',
  budget: 'for the rate budget of the account',
  target: 'for its turn on the target',
  poll: 'before it asks again',
  wait: 'as the runbook says',
  pause: 'since the run is paused',
}

/** A wait and how long it was. Of one for a person the question tells. */
export function waitEntry({ path, reason, fromMs, endedMs }: Wait): JournalEntry {
  const time = endedMs === undefined ? 'waits' : `waited ${durationText(endedMs - fromMs)}`
  return { atMs: fromMs, sign: 'waiting', path, words: [`${time} ${reasons[reason] ?? `(${reason})`}`] }
}
