import { createPlanIndex, type RunRecord } from '../../core/record/index.ts'
import { printableLine } from '../../project/text/index.ts'
import type { ReportOptions } from '../run/report/reported-run.ts'
import { columns } from '../shared/terminal/columns.ts'
import { sizeText } from '../shared/terminal/quantity-text.ts'

/** Reports that files of steps are missing here, since the workers may use another data directory. */
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
    `${printableLine(first.path)} has written a file, but no file of this run is in ${printableLine(dataDir)}`,
    '  the workers use another data directory: name it with --data-dir or OPSBOOK_DATA_DIR',
  ]
}

/** Every file of the run, with its size and its step. */
export function artifactLines(
  { artifacts }: RunRecord,
  { paint, mask, items }: ReportOptions,
): readonly string[] {
  if (artifacts.length === 0) return []
  const rows = artifacts.map(({ file, path, bytes }) => [
    printableLine(file),
    bytes === undefined ? 'not there' : sizeText(bytes),
    `by ${printableLine(items.label(path))}`,
  ])
  return ['', paint.bold('Artifacts'), ...columns(rows).map((line) => mask.text(`  ${line}`))]
}
