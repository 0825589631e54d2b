import type { StepRecord } from '../../../engine/embedded/index.ts'

/** A row of the table of steps: a step, or the count of steps that need no row of their own. */
export type Row = { readonly step: StepRecord } | { readonly count: number; readonly kind: Kind }

/** What steps have in common that are counted. */
export type Kind = 'good' | 'bad' | 'pending'

/** With more steps than this those outside of loops are counted, too, where they are no news. */
const mostRows = 40
/** So many steps of a kind that is counted keep their rows. */
const kept: Readonly<Record<Kind, number>> = { good: 2, pending: 2, bad: 5 }

/** The steps with those counted that are no news: in loops whatever went well, outside of them where there are many. */
export function foldRows(steps: readonly StepRecord[]): readonly Row[] {
  const isLong = steps.filter((step) => !isInLoop(step)).length > mostRows
  return groupsOf(steps).flatMap((group) => {
    if (group.isLoop) return [...fold(group.steps, 'bad', kept.bad), ...fold(group.steps, 'good', 0)]
    const isFolded = isLong && group.kind !== 'bad'
    return isFolded ? fold(group.steps, group.kind, kept[group.kind]) : group.steps.map((step) => ({ step }))
  })
}

/** The first of one kind, and the count of the others. */
function fold(steps: readonly StepRecord[], kind: Kind, most: number): readonly Row[] {
  const alike = steps.filter(
    (step) => kindOf(step) === kind || (kind === 'bad' && kindOf(step) === 'pending'),
  )
  // A count in place of a single step would save nothing.
  const shown = most > 0 && alike.length === most + 1 ? alike : alike.slice(0, most)
  const count = alike.length - shown.length
  return [...shown.map((step) => ({ step })), ...(count > 0 ? [{ count, kind }] : [])]
}

interface Group {
  readonly isLoop: boolean
  readonly kind: Kind
  readonly steps: StepRecord[]
}

/** Steps one after another that are inside a loop, and those outside that are of one kind. */
function groupsOf(steps: readonly StepRecord[]): readonly Group[] {
  const groups: Group[] = []
  for (const step of steps) {
    const kind = kindOf(step)
    const isLoop = isInLoop(step)
    const last = groups.at(-1)
    if (last?.isLoop === isLoop && (isLoop || last.kind === kind)) last.steps.push(step)
    else groups.push({ isLoop, kind, steps: [step] })
  }
  return groups
}

function kindOf({ status, is_warning, caught }: StepRecord): Kind {
  if (status === 'pending') return 'pending'
  const isGood = (status === 'succeeded' || status === 'skipped') && !is_warning && caught === undefined
  return isGood ? 'good' : 'bad'
}

function isInLoop({ path }: StepRecord): boolean {
  return path.includes('[')
}
