import { options } from 'preact'

/** The marks that turn the direction of text: those that the terminal shows by their numbers, too. */
const marks = /[\u202a-\u202e\u2066-\u2069]/g

type Child = unknown

/** The text with these marks shown by their numbers. */
export function unturnedText(text: string): string {
  return text.replace(marks, (mark) => `\\u${mark.charCodeAt(0).toString(16)}`)
}

function unturned(child: Child): Child {
  if (Array.isArray(child)) return child.some((one) => unturned(one) !== one) ? child.map(unturned) : child
  return typeof child === 'string' ? unturnedText(child) : child
}

/** From now on, no text of a page can make what a person reads look other than it is. Values of fields stay as they are. */
export function showTurnsOfText(): void {
  const { vnode: before } = options
  options.vnode = (vnode) => {
    const { props } = vnode as { props?: { children?: Child } }
    if (props?.children !== undefined) {
      const children = unturned(props.children)
      if (children !== props.children) props.children = children
    }
    before?.(vnode)
  }
}
