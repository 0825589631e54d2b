import type { JsonObject } from '../json.ts'
import type { Plan } from '../plan.ts'

/**
 * What is changed of a run as it is carried on. A step is named by its id where only one has it, else by its path, such
 * as `hosts/look`; one item of a loop by its place: `hosts[3]/look`.
 */
export interface Amendment {
  /** The runbook as it is now. @default the one the run was carried out with until now */
  readonly plan?: Plan
  /** Take the place of those it had; the others stay as they are. */
  readonly inputs?: JsonObject
  /** This step and all that stands after it in the plan are done anew; of writes that were done, each needs a word. */
  readonly from?: string
  /** What these have done counts as done, whatever their arguments are now. */
  readonly keep?: readonly string[]
  /** These are done again. In a loop: the items whose arguments are not among those that were done. */
  readonly repeat?: readonly string[]
  /** These count as skipped. */
  readonly skip?: readonly string[]
}

/** What people have said about steps, each by its path. It holds until the next amendment, so it is kept with the run. */
export interface Words {
  readonly from?: string
  readonly keep: readonly string[]
  readonly repeat: readonly string[]
  readonly skip: readonly string[]
}
