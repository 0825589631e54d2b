import { type Context, createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { PageState } from '../../state.ts'

/** What every page shows of the person: who it is, and what was refused. */
type Shown = Pick<PageState, 'page' | 'user' | 'csrf' | 'is_read_only' | 'refused'>

/** The state of the page, for forms. */
export const ShownState: Context<Shown> = createContext<Shown>({ page: 'problem' })

/** What a form sends to prove its session. Undefined: the person may not do this, or nobody can here. */
export function useProof(role: string): string | undefined {
  const { user, csrf, is_read_only } = useContext(ShownState)
  const may = user?.roles.some((one) => one === role || one === 'admin') === true
  return may && is_read_only !== true ? csrf : undefined
}

/** The hidden fields of a form that leads back to the page that it is on. */
export function usePlace(): 'inbox' | 'run' {
  return useContext(ShownState).page === 'run' ? 'run' : 'inbox'
}

/** What was refused. */
export function useRefused(): PageState['refused'] {
  return useContext(ShownState).refused
}
