import cliTruncate from 'cli-truncate'
import stringWidth from 'string-width'
import type { Paint } from '../../../project/index.ts'
import { printableLine } from '../../../project/text/index.ts'
import { pad, wrap } from '../../shared/terminal/columns.ts'

/** How a plan is written: colours, and how wide the screen is. */
export interface RowStyle {
  readonly paint: Paint
  readonly width: number
  /** Long values are cut at the end of the line. */
  readonly isCut: boolean
  /** Of the column of labels. */
  readonly labelWidth: number
  readonly signs: Readonly<Record<'yes' | 'no' | 'open', string>>
  readonly arrow: string
  readonly dot: string
}

/** A fact under a label. A row without a label continues the one before. */
export interface PlanRow {
  readonly label: string
  readonly text: string
  /** Wrapped over several lines; else it stays one line, which a screen cuts. */
  readonly isWhole?: boolean
  readonly color?: keyof Paint
}

/** Rows as lines: labels in a column, texts beside them. */
export function rowLines(
  rows: readonly PlanRow[],
  indent: number,
  { paint, width, labelWidth, isCut }: RowStyle,
): readonly string[] {
  const space = ' '.repeat(indent)
  const room = Math.max(20, width - indent - labelWidth)
  return rows.flatMap(({ label, text, isWhole = false, color }) => {
    const line = printableLine(text)
    const parts = isWhole ? wrap(line, room) : [isCut ? cliTruncate(line, room) : line]
    return parts.map((part, index) => {
      const head = pad(index === 0 ? label : '', labelWidth)
      return `${space}${paint.dim(head)}${color === undefined ? part : paint[color](part)}`.trimEnd()
    })
  })
}

/** Names and values in two columns, as rows under one label. */
export function pairRows(label: string, pairs: Pairs): readonly PlanRow[] {
  return alignedTexts(pairs).map((text, index) => ({ label: index === 0 ? label : '', text }))
}

/** Names and values in two columns, as lines; long values wrap within their column. */
export function pairLines(pairs: Pairs, { width }: RowStyle): readonly string[] {
  const column = nameWidth(pairs) + 4
  return pairs.flatMap(([name, value]) =>
    wrap(printableLine(value), Math.max(20, width - column)).map((part, index) =>
      `  ${pad(index === 0 ? name : '', column - 2)}${part}`.trimEnd(),
    ),
  )
}

export type Pairs = readonly (readonly [name: string, value: string])[]

/** Names and values in two columns, as texts. */
export function alignedTexts(pairs: Pairs): readonly string[] {
  const width = nameWidth(pairs)
  return pairs.map(([name, value]) => `${pad(name, width)}  ${printableLine(value)}`)
}

function nameWidth(pairs: Pairs): number {
  return Math.min(24, Math.max(0, ...pairs.map(([name]) => stringWidth(name))))
}
