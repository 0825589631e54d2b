import type { ComponentChildren, VNode } from 'preact'

/** The word over a column; over figures it stands on the right, and `unseen` is only for screen readers. */
type Column = string | { readonly figure: string } | { readonly unseen: string }

/** A table with its head. The caption is for screen readers. The children are its rows. */
export function Table(props: {
  readonly kind?: string
  readonly caption?: string
  readonly columns: readonly Column[]
  readonly children: ComponentChildren
}): VNode {
  const { kind = 'rows stack', caption, columns, children } = props
  return (
    <table class={kind}>
      {caption === undefined ? null : <caption class="unseen">{caption}</caption>}
      <thead>
        <tr>{columns.map(headOf)}</tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  )
}

function headOf(column: Column): VNode {
  const word = typeof column === 'string' ? column : 'figure' in column ? column.figure : column.unseen
  return (
    <th
      key={word}
      scope="col"
      class={typeof column === 'object' && 'figure' in column ? 'figure' : undefined}
    >
      {typeof column === 'object' && 'unseen' in column ? <span class="unseen">{word}</span> : word}
    </th>
  )
}
