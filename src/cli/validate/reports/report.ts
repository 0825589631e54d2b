import type { CommandContext } from '../../context.ts'
import type { CheckedFile } from '../check-file.ts'

/** How many of what there were. */
export interface Totals {
  readonly files: number
  readonly errors: number
  readonly warnings: number
}

/** One way to answer. It gets every file as soon as that is checked, and keeps no more of it than it must. */
export interface Report {
  take(checked: CheckedFile): void
  end(totals: Totals): void
}

/** Makes a report that writes to the streams of the command. */
export type CreateReport = (context: CommandContext) => Report

/** `1 error`, `2 errors`. */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}
