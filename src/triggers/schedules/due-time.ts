import { createHash } from 'node:crypto'
import type { Schedule } from './next-starts.ts'

/** How late a time may be started where the schedule does not say. */
const usualCatchUpMs = 60_000
/** Nobody is quicker for sure: a process may be busy, or just begin. */
const leastCatchUpMs = 10_000

/** How late a time of the schedule may be started, in milliseconds. */
export function catchUpOf({ catchUpMs = usualCatchUpMs }: Schedule): number {
  return Math.max(catchUpMs, leastCatchUpMs)
}

/** When a time is due: later by chance, where the schedule says so, and by the same chance whoever asks. */
export function dueTime(id: string, { jitterMs = 0 }: Schedule, atMs: number): number {
  if (jitterMs === 0) return atMs
  const chance = createHash('sha256').update(`${id} ${atMs}`).digest().readUInt32BE() / 2 ** 32
  return atMs + Math.floor(chance * jitterMs)
}
