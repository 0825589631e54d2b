import type { VNode } from 'preact'
import { useContext } from 'preact/hooks'
import type { InboxEntry } from '../../../documents/index.ts'
import type { PageState } from '../../state.ts'
import { ShownState, useRefused } from './shown-state.ts'

/** Why nothing was done, in the words of the command line. */
export function RefusalNotice({ refused }: { readonly refused: NonNullable<PageState['refused']> }): VNode {
  const { detail, hint } = refused
  const done = useContext(ShownState).page === 'start' ? 'started' : 'recorded'
  return (
    <p class="notice bad" role="alert">
      Nothing was {done}: {detail}
      {hint === undefined ? null : <span class="why lines">{hint}</span>}
    </p>
  )
}

/** A refused answer to what is not asked any more. One to what is still asked stands in its form. */
export function LostRefusal({ entries }: { readonly entries: readonly InboxEntry[] }): VNode | null {
  const refused = useRefused()
  if (refused === undefined || refused.given['step'] === undefined) return null
  const isThere = entries.some((entry) => entry.kind === 'question' && isOf(refused, entry))
  return isThere ? null : <RefusalNotice refused={refused} />
}

/** Whether what was refused was meant for this entry, as it is shown. */
export function isOf(
  { run_id, given }: NonNullable<PageState['refused']>,
  entry: { readonly run_id: string; readonly shown: string },
): boolean {
  return run_id === entry.run_id && given['shown'] === entry.shown
}
