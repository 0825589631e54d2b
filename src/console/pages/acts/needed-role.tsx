import type { VNode } from 'preact'
import { useContext } from 'preact/hooks'
import { ShownState } from './shown-state.ts'

/** Says which role is needed, in place of the buttons. `to`: what for, such as "answer". */
export function NeededRole({ needs, to }: { readonly needs: string; readonly to: string }): VNode | null {
  const { user, is_read_only } = useContext(ShownState)
  // Nobody can act here, as the head of the page says.
  if (user === undefined || is_read_only === true) return null
  return (
    <p class="notice held">
      To {to}, you need the role {needs}. You have {user.roles.join(', ')}.
    </p>
  )
}
