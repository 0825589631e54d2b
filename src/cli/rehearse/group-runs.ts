import type { DifferenceKind, RunRehearsal } from '../../testing/index.ts'

/** The runs with the same difference. */
export interface RunGroup {
  readonly kind: DifferenceKind | 'unknown' | 'left_out'
  readonly what: string
  readonly step?: string
  readonly runs: readonly { readonly run_id: string; readonly detail?: string }[]
}

const order: readonly RunGroup['kind'][] = [
  'refused',
  'end',
  'write',
  'question',
  'path',
  'unknown',
  'left_out',
]

/** Groups runs by what would be different: by kind, and the largest group first. */
export function groupRuns(runs: readonly RunRehearsal[]): readonly RunGroup[] {
  const groups = new Map<string, RunGroup & { readonly runs: { run_id: string; detail?: string }[] }>()
  const add = (
    run_id: string,
    kind: RunGroup['kind'],
    { what, step, detail }: { readonly what: string; readonly step?: string; readonly detail?: string },
  ): void => {
    const key = `${kind} ${what}`
    const group = groups.get(key) ?? { kind, what, ...(step ? { step } : {}), runs: [] }
    groups.set(key, group)
    // The items of a loop often differ in the same way.
    if (group.runs.some((run) => run.run_id === run_id && run.detail === detail)) return
    group.runs.push({ run_id, ...(detail === undefined ? {} : { detail }) })
  }
  for (const { run_id, differences, unknown, reason } of runs) {
    for (const { kind, ...difference } of differences) add(run_id, kind, difference)
    for (const one of unknown) add(run_id, 'unknown', one)
    if (reason !== undefined) add(run_id, 'left_out', { what: reason })
  }
  return [...groups.values()].toSorted(
    (one, other) =>
      order.indexOf(one.kind) - order.indexOf(other.kind) || other.runs.length - one.runs.length,
  )
}

/** How many runs are in the group: one run can be in it with several calls. */
export function runCountOf({ runs }: RunGroup): number {
  return new Set(runs.map(({ run_id }) => run_id)).size
}
