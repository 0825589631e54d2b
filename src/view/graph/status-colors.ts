import type { BoxStatus } from './graph.ts'

/** How a state is coloured, in every format. */
export const statusColors: Readonly<Record<BoxStatus, 'good' | 'bad' | 'held' | 'open' | 'idle'>> = {
  queued: 'idle',
  pending: 'idle',
  skipped: 'idle',
  running: 'open',
  waiting: 'held',
  paused: 'held',
  succeeded: 'good',
  caught: 'held',
  warning: 'held',
  tolerated: 'held',
  cancelled: 'held',
  interrupted: 'held',
  unknown: 'bad',
  failed: 'bad',
}
