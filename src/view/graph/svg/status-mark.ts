import type { BoxStatus } from '../graph.ts'
import { statusColors } from '../status-colors.ts'
import { n } from './block.ts'

/** The mark of a state, drawn around a point: shapes, since no font has all of them. */
export function statusMark(status: BoxStatus, x: number, y: number): string {
  const color = statusColors[status]
  const shape = shapes[status]
  return `<g transform="translate(${n(x)} ${n(y)})"><circle class="is-${color}" r="6.5"/><path class="mark" fill="none" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round" d="${shape}"/></g>`
}

const check = 'M-3 0.2l2.1 2.2 3.9-4.6'
const cross = 'M-2.3-2.3l4.6 4.6m0-4.6l-4.6 4.6'
const dash = 'M-3 0h6'
const bars = 'M-1.5-2.5v5m3-5v5'
const attention = 'M0-3.2v3.6m0 2.6v.1'

const shapes: Readonly<Record<BoxStatus, string>> = {
  succeeded: check,
  caught: attention,
  warning: attention,
  tolerated: attention,
  failed: cross,
  cancelled: dash,
  skipped: dash,
  pending: dash,
  queued: bars,
  waiting: bars,
  paused: bars,
  interrupted: bars,
  running: 'M-1.5-2.6l4 2.6-4 2.6z',
  unknown: 'M-1.8-1.4c0-2.6 3.8-2.4 3.6 0-.1 1.3-1.8 1.3-1.8 2.6m0 2v.1',
}
