import type { RunRecord } from '../../engine/embedded/index.ts'
import type { ReportOptions } from '../run/report/report-lines.ts'
import { columns } from '../terminal/columns.ts'
import { printableLine } from '../terminal/printable.ts'
import { sizeText } from '../terminal/size-text.ts'

/** Every file that a step has made, how large it is, and which step it was. */
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
