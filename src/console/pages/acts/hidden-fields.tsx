import type { VNode } from 'preact'
import type { Given } from './field-inputs.tsx'

/** The fields of an earlier form, sent once more as they were. */
export function HiddenFields({ given }: { readonly given: Given }): VNode {
  return (
    <>
      {Object.entries(given)
        .filter(([name]) => name !== 'shown')
        .flatMap(([name, values]) =>
          [values]
            .flat()
            .map((value) => <input key={`${name} ${value}`} type="hidden" name={name} value={value} />),
        )}
    </>
  )
}
