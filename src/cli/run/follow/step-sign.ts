import type { Paint } from '../../terminal/paint.ts'
import type { Symbols } from '../../terminal/symbols.ts'
import type { StepView } from './step-view.ts'

/** How lines are drawn. */
export interface Style {
  readonly paint: Paint
  readonly symbols: Symbols
}

/** What the sign before a step says: `caught` that it failed and its `catch` made up for it, `warning` that it may fail. */
export type Sign = StepView['status'] | 'waiting' | 'warning' | 'caught'

/** The sign of a step's state, coloured. `tick` turns the one of what is at work. */
export function stepSign(sign: Sign, { paint, symbols }: Style, tick = 0): string {
  switch (sign) {
    case 'succeeded':
      return paint.green(symbols.succeeded)
    case 'caught':
      return paint.yellow(symbols.succeeded)
    case 'warning':
      return paint.yellow(symbols.warning)
    case 'failed':
      return paint.red(symbols.failed)
    case 'cancelled':
      return paint.yellow(symbols.cancelled)
    case 'unknown':
      return paint.yellow(symbols.unknown)
    case 'skipped':
      return paint.dim(symbols.skipped)
    case 'pending':
      return paint.dim(symbols.pending)
    case 'waiting':
      return paint.yellow(symbols.waiting)
    case 'running':
      return paint.cyan(symbols.spinner[tick % symbols.spinner.length] ?? '')
  }
}
