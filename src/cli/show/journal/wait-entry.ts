import type { WaitDocument } from '../../../documents/index.ts'
import { durationText } from '../../shared/terminal/quantity-text.ts'
import type { JournalEntry } from './entry.ts'

/** The reasons of waits, in words. */
const reasons: Readonly<Record<string, string>> = {
  retry: 'before a retry',
  throttle: 'since it was refused as too frequent',
  budget: 'for the rate limit of the account',
  target: 'for the target',
  poll: 'before the next check',
  wait: 'as the runbook requires',
  event: 'for an event',
  pause: 'since the run is paused',
}

/** A wait and its duration. Waits for approval are part of the questions. */
export function waitEntry({ path, reason, message, started_at, ended_at }: WaitDocument): JournalEntry {
  const atMs = Date.parse(started_at)
  const time = ended_at === undefined ? 'waits' : `waited ${durationText(Date.parse(ended_at) - atMs)}`
  return {
    atMs,
    sign: 'waiting',
    path,
    words: [`${time} ${reasons[reason] ?? `(${reason})`}${message === undefined ? '' : `: ${message}`}`],
  }
}
