import type { VNode } from 'preact'

/** A text of many lines, such as JSON. It is scrolled with the keyboard, too. */
export function LongText({ children }: { readonly children: string }): VNode {
  // biome-ignore lint/a11y/noNoninteractiveTabindex: long texts are scrolled with the keyboard
  return <pre tabIndex={0}>{children}</pre>
}
