import type { VNode } from 'preact'
import type { ItemRow } from '../../../../view/run/index.ts'
import { failedItemsText, statusWord } from '../../../../view/text/index.ts'
import { StepDuration } from '../../parts/moment.tsx'
import { Status } from '../../parts/status.tsx'
import { Table } from '../../parts/table.tsx'
import { WaitLine } from '../../parts/waits.tsx'

/** Items as rows. The button of a row shows the item beside the table. */
export function ItemTable({
  items,
  selected,
  select,
}: {
  readonly items: readonly ItemRow[]
  readonly selected: number | undefined
  readonly select: (item: ItemRow) => void
}): VNode {
  return (
    <Table
      kind="rows dense item-table"
      caption="Items, in their order"
      columns={[{ figure: 'No.' }, 'Item', 'Status', { figure: 'Took' }]}
    >
      {items.map((row) => (
        <tr key={row.index} class={row.index === selected ? 'selected' : undefined}>
          <td class="figure dim">{row.index}</td>
          <td class="wide">
            <button type="button" class="link" onClick={() => select(row)}>
              {row.item ?? `item ${row.index}`}
            </button>
            {row.at === undefined ? null : <span class="dim"> at {row.at}</span>}
            {row.wait === undefined ? null : <WaitLine wait={row.wait} />}
            {row.failed_items === undefined ? null : (
              <span class="why held">{failedItemsText(row.failed_items)}, tolerated</span>
            )}
            {row.error === undefined ? null : (
              <span class="why">
                <span class="code">{row.error.code}</span> {row.error.message}
              </span>
            )}
          </td>
          <td>
            <Status status={row.has_tolerated ? 'tolerated' : row.status} word={statusWord(row.status)} />
          </td>
          <td class="figure">
            <StepDuration of={row} />
          </td>
        </tr>
      ))}
    </Table>
  )
}
