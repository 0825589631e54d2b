import { createMask } from '../../core/mask/index.ts'
import type { RunRecord } from '../../core/record/index.ts'
import type { Engine } from '../../engine/index.ts'
import { createItemNames, type ItemNames } from '../../view/run/index.ts'
import { learnSecrets } from './learn-secrets.ts'

/** Names the loop items of a recorded run. Its events are read only if one of the paths is in a loop. */
export async function readItemNames(
  run: RunRecord,
  paths: readonly string[],
  engine: Engine,
): Promise<ItemNames> {
  const mask = createMask()
  const names = createItemNames(mask)
  if (!paths.some((path) => path.includes('['))) return names
  await learnSecrets(run, engine, mask)
  for (const { event } of await engine.readEvents(run.run_id)) names.take(event)
  return names
}
