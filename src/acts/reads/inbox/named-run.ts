import type { ActionDescription } from '../../../core/action.ts'
import { createMask, type Mask } from '../../../core/mask/index.ts'
import { refused } from '../../../core/run-error.ts'
import type { Engine, UnresolvedCall } from '../../../engine/index.ts'
import { learnSecrets, readsOfCall } from '../../../project/records/index.ts'
import { createItemNames, type ItemNames } from '../../../view/run/index.ts'

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
  const mask = createMask()
  await learnSecrets(run, engine, mask)
  const items = createItemNames(mask)
  if (paths.some((path) => path.includes('[')))
    for (const { event } of await engine.readEvents(runId)) items.take(event)
  return { items, mask, readsOf: (call) => readsOfCall(run, call, actions) }
}
