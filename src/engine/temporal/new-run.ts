import type { RunStart } from './messages.ts'

/** What every run does that begins now, whoever begins it: the histories of those that began earlier have no place for it. */
export const newRun: Pick<RunStart, 'tellsPeople' | 'hearsLate' | 'endsAsCancelled'> = {
  tellsPeople: true,
  hearsLate: true,
  endsAsCancelled: true,
}
