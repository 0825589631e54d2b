import type { RunRecord, WishRecord } from '../../engine/embedded/index.ts'
import type { ReportOptions } from '../run/report/report-lines.ts'
import { columns } from '../terminal/columns.ts'
import { momentText } from '../terminal/duration-text.ts'
import { printableLine } from '../terminal/printable.ts'

const words: Readonly<Record<WishRecord['kind'], string>> = {
  cancel: 'cancelled',
  'cancel-now': 'cancelled at once',
  pause: 'paused',
  unpause: 'let go on',
}

/** Who stopped the run or let it go on, one line each. */
export function peopleLines({ wishes }: RunRecord, { paint, mask }: ReportOptions): readonly string[] {
  if (wishes.length === 0) return []
  const rows = wishes.map(({ kind, by, at, comment, taken_at, over_at }) => {
    const isWaiting = taken_at === undefined && over_at === undefined
    return [
      words[kind] + (isWaiting ? ', not taken up yet' : ''),
      momentText(Date.parse(at)),
      `by ${printableLine(by)}${comment === undefined ? '' : `: ${printableLine(comment)}`}`,
    ]
  })
  return ['', paint.bold('People'), ...columns(rows).map((line) => mask.text(`  ${line}`))]
}
