import type { ActionDescription } from '../../core/action.ts'
import type { RunbookDocument } from '../runbook-document.ts'
import type { Source } from '../source.ts'

/** What compiling one runbook works with. */
export interface CompileContext {
  readonly source: Source
  readonly document: RunbookDocument
  readonly actions: ReadonlyMap<string, ActionDescription>
  /** Ids taken so far: an id is unique in a runbook, whatever the block. */
  readonly ids: Set<string>
}
