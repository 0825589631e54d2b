import type { Engine } from '../../../engine/index.ts'
import { findRun, maskOf } from '../../../project/records/index.ts'
import { drawGraph, maskGraph } from '../../../view/graph/index.ts'

/** The graph of what happened in a run, with what `show` masks masked. */
export async function drawRun(given: string, engine: Engine): Promise<ReturnType<typeof drawGraph>> {
  const record = await findRun(given, engine)
  const mask = await maskOf(record, engine)
  const events = await engine.readEvents(record.run_id)
  return maskGraph(drawGraph(record.plan, { record, events, nowMs: Date.now() }), mask)
}
