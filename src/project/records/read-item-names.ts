import { createMask, type Mask } from '../../core/mask/index.ts'
import type { RunRecord } from '../../core/record/index.ts'
import type { Engine } from '../../engine/index.ts'
import { createItemNames, type ItemNames } from '../../view/run/index.ts'
import { maskOf } from './learn-secrets.ts'

/** Names the loop items of a recorded run. Its record and its events are read only if one of the paths is in a loop. */
export async function readItemNames(
  run: RunRecord | Pick<RunRecord, 'run_id'>,
  paths: readonly string[],
  engine: Engine,
  mask?: Mask,
): Promise<ItemNames> {
  const isInLoop = paths.some((path) => path.includes('['))
  const record = isInLoop && ('plan' in run ? run : await engine.readRun(run.run_id))
  const names = createItemNames(mask ?? (record ? await maskOf(record, engine) : createMask()))
  if (record) for (const { event } of await engine.readEvents(run.run_id)) names.take(event)
  return names
}
