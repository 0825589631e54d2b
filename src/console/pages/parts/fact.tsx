import type { VNode } from 'preact'

/** A name, and what it stands for. */
export function FactLine({ word, children }: { readonly word: string; readonly children: unknown }): VNode {
  return (
    <div>
      <dt>{word}</dt>
      <dd>{children as VNode}</dd>
    </div>
  )
}
