import type { ActionDescription } from '../../../core/action.ts'
import type { Mask } from '../../../core/mask/index.ts'
import { refused } from '../../../core/run-error.ts'
import type { Engine, UnresolvedCall } from '../../../engine/index.ts'
import { maskOf, readItemNames, readsOfCall } from '../../../project/records/index.ts'
import type { ItemNames } from '../../../view/run/index.ts'

/** What names the items of a run, and masks what `show` masks. */
export interface NamedRun {
  readonly items: ItemNames
  readonly mask: Mask
  /** What later steps read of the answer of a call. Undefined: its action is not known here. */
  readsOf(call: UnresolvedCall): readonly string[] | undefined
}

/**
 * Reads how a run is named and masked. Its events are read only if one of the paths is in a loop. `actions`: those that
 * its calls can be of.
 */
export async function readNamedRun(
  runId: string,
  paths: readonly string[],
  engine: Engine,
  actions: readonly ActionDescription[] = [],
): Promise<NamedRun> {
  const run = await engine.readRun(runId, { isWithoutSteps: true })
  if (!run) throw refused(`there is no run ${runId} any more`)
  const mask = await maskOf(run, engine)
  const items = await readItemNames(run, paths, engine, mask)
  return { items, mask, readsOf: (call) => readsOfCall(run, call, actions) }
}
