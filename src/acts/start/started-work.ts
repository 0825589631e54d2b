import type { Action } from '../../actions/index.ts'
import type { Identity } from '../../core/events.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Plan } from '../../core/plan/index.ts'

/** The work of a run to start, as both engines take it. */
export interface StartedWork {
  readonly plan: Plan
  readonly inputs: JsonObject
  readonly actions: readonly Action[]
  readonly dataDir: string
  /** The folder of the project. */
  readonly project: string
  readonly key?: string
  readonly connection?: string
  readonly approve?: 'all'
  readonly by?: Identity
  /** Reports what happens to the start if another run has the concurrency key. */
  readonly say: (text: string) => void
}
