import type { WatchedRun } from '../../console/server/index.ts'
import type { JsonObject } from '../../core/json.ts'
import { createMask } from '../../core/mask/index.ts'
import type { Engine } from '../../engine/index.ts'
import { createRunView } from '../../view/run/index.ts'
import { findRun } from '../shared/record/find-run.ts'
import { learnFromEvent, learnSecrets } from '../shared/record/learn-secrets.ts'

/** A run for the console to follow, with what `show` masks masked. */
export async function watchRun(given: string, engine: Engine): Promise<WatchedRun> {
  const run = await findRun(given, engine)
  const { run_id: runId } = run
  const mask = createMask()
  await learnSecrets(run, engine, mask)
  const view = createRunView(run, { mask })
  return {
    view,
    mask: (document) => mask.value(document as JsonObject) as JsonObject,
    take(recorded) {
      learnFromEvent(mask, recorded.event)
      view.take(recorded)
    },
    past: () => engine.readEvents(runId),
    follow: (afterSeq, signal) => engine.followEvents(runId, { afterSeq, signal }),
    state: () => engine.readRunState(runId),
  }
}

/** The steps of one item of a loop, by its path, with what `show` masks masked. */
export async function readItemView(given: string, path: string, engine: Engine): Promise<JsonObject> {
  const run = await findRun(given, engine)
  const mask = createMask()
  await learnSecrets(run, engine, mask)
  const view = createRunView(run, { mask, inside: path })
  for (const recorded of await engine.readEvents(run.run_id, path)) {
    learnFromEvent(mask, recorded.event)
    view.take(recorded)
  }
  view.takeState(run)
  return mask.value(view.view(Date.now()) as unknown as JsonObject) as JsonObject
}
