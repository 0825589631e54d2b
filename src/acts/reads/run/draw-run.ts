import { createMask } from '../../../core/mask/index.ts'
import type { Engine } from '../../../engine/index.ts'
import { findRun, learnSecrets } from '../../../project/records/index.ts'
import { drawGraph, maskGraph } from '../../../view/graph/index.ts'

/** The graph of what happened in a run, with what `show` masks masked. */
export async function drawRun(given: string, engine: Engine): Promise<ReturnType<typeof drawGraph>> {
  const record = await findRun(given, engine)
  const mask = createMask()
  await learnSecrets(record, engine, mask)
  const events = await engine.readEvents(record.run_id)
  return maskGraph(drawGraph(record.plan, { record, events, nowMs: Date.now() }), mask)
}
