import { createMask, type Mask } from '../../core/mask/index.ts'
import { refused } from '../../core/record/index.ts'
import type { Engine } from '../../engine/index.ts'
import { createItemNames, type ItemNames } from '../../view/run/index.ts'
import { learnSecrets } from '../shared/record/learn-secrets.ts'

/** What names the items of a run, and masks what `show` masks. */
export interface NamedRun {
  readonly items: ItemNames
  readonly mask: Mask
}

/** Reads how a run is named and masked. Its events are read only if one of the paths is in a loop. */
export async function readNamedRun(
  runId: string,
  paths: readonly string[],
  engine: Engine,
): Promise<NamedRun> {
  const run = await engine.readRun(runId, { isWithoutSteps: true })
  if (!run) throw refused(`there is no run ${runId} any more`)
  const mask = createMask()
  await learnSecrets(run, engine, mask)
  const items = createItemNames(mask)
  if (paths.some((path) => path.includes('[')))
    for (const { event } of await engine.readEvents(runId)) items.take(event)
  return { items, mask }
}
