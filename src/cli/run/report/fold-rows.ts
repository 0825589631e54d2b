import type { StepRecord } from '../../../engine/embedded/run-record.ts'

/** A row of the table of steps: a step, or the count of steps that need no row of their own. */
export type Row = { readonly step: StepRecord } | { readonly count: number; readonly kind: Kind }

/** What steps in a row have in common that are counted. */
export type Kind = 'good' | 'bad' | 'pending'

/** With more steps than this those outside of loops are counted, too, where they are no news. */
const mostRows = 40
/** So many that are counted stay rows: outside of loops at the beginning, of the bad ones inside. */
const kept: Readonly<Record<Kind, number>> = { good: 2, pending: 2, bad: 5 }

/** The steps with those counted that are no news: inside loops always what went well, else where there are many. */
export function foldRows(steps: readonly StepRecord[]): readonly Row[] {
  const isLong = steps.length > mostRows
  return runsOf(steps).flatMap(({ kind, steps: alike }) => {
    const isLoop = alike[0] !== undefined && isInLoop(alike[0])
    const shown = isLoop
      ? kind === 'bad'
        ? kept.bad
        : 0
      : isLong && kind !== 'bad'
        ? kept[kind]
        : alike.length
    // A count in place of a single step would save nothing.
    const first = alike.length - shown === 1 && !isLoop ? alike : alike.slice(0, shown)
    const count = alike.length - first.length
    return [...first.map((step): Row => ({ step })), ...(count > 0 ? [{ count, kind }] : [])]
  })
}

interface Alike {
  readonly kind: Kind
  readonly steps: StepRecord[]
}

/** Steps one after another of one kind, those of loops apart from others. */
function runsOf(steps: readonly StepRecord[]): readonly Alike[] {
  const runs: Alike[] = []
  for (const step of steps) {
    const kind = kindOf(step)
    const last = runs.at(-1)
    const isAlike =
      last?.kind === kind && last.steps[0] !== undefined && isInLoop(last.steps[0]) === isInLoop(step)
    if (last && isAlike) last.steps.push(step)
    else runs.push({ kind, steps: [step] })
  }
  return runs
}

function kindOf({ status, is_warning, caught }: StepRecord): Kind {
  if (status === 'pending') return 'pending'
  const isGood = (status === 'succeeded' || status === 'skipped') && !is_warning && caught === undefined
  return isGood ? 'good' : 'bad'
}

function isInLoop({ path }: StepRecord): boolean {
  return path.includes('[')
}
