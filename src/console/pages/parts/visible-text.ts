import { options } from 'preact'
import { showInvisible } from '../../../core/text/index.ts'

type Child = unknown

function visible(child: Child): Child {
  if (Array.isArray(child)) return child.some((one) => visible(one) !== one) ? child.map(visible) : child
  return typeof child === 'string' ? showInvisible(child) : child
}

/** From now on, no text of a page can make what a person reads look other than it is. Values of fields stay as they are. */
export function showInvisibleTexts(): void {
  const { vnode: before } = options
  options.vnode = (vnode) => {
    const { props } = vnode as { props?: { children?: Child } }
    if (props?.children !== undefined) {
      const children = visible(props.children)
      if (children !== props.children) props.children = children
    }
    before?.(vnode)
  }
}
