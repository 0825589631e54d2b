import { createPlanIndex } from '../../core/record/plan-index.ts'
import type { RunRecord } from '../../core/record/run-record.ts'
import { printableLine } from '../terminal/printable.ts'

/** Says where files were looked for, where steps have written some and none is there: workers may have another directory. */
export function missingFileLines(
  { plan, steps, artifacts }: Pick<RunRecord, 'plan' | 'steps' | 'artifacts'>,
  dataDir: string,
): readonly string[] {
  if (artifacts.length > 0) return []
  const index = createPlanIndex(plan)
  const written = steps.filter(({ path, status, caught }) => {
    const owner = index.ownerOf(path)
    return (
      status === 'succeeded' &&
      caught === undefined &&
      owner?.path === path &&
      owner.step.kind === 'uses' &&
      owner.step.uses.saveAs !== undefined
    )
  })
  const [first] = written
  if (!first) return []
  return [
    '',
    `${printableLine(first.path)} has written a file, and none of this run is in ${printableLine(dataDir)}`,
    '  the data directory of the workers is another one: --data-dir or OPSBOOK_DATA_DIR names it',
  ]
}
