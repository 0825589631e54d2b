import type { JsonObject } from '../../core/json.ts'
import { createMask } from '../../core/mask/index.ts'
import type { Engine } from '../../engine/index.ts'
import { createItemNames } from '../../view/run/index.ts'
import { publicEvent } from '../run/public-json.ts'
import { findRun } from '../shared/record/find-run.ts'
import { learnFromEvent, learnSecrets } from '../shared/record/learn-secrets.ts'

/** Which events of a run a page holds. */
export interface JournalPage {
  /** Only events after this number. */
  readonly after?: number
  readonly limit: number
}

/**
 * Some events of a run as the lines of `logs --output ndjson`, each with its number. `next` is the `after` of the next
 * page; left out: these are the last ones.
 */
export async function readJournalPage(
  given: string,
  { after = 0, limit }: JournalPage,
  engine: Engine,
): Promise<JsonObject> {
  const run = await findRun(given, engine)
  const mask = createMask()
  await learnSecrets(run, engine, mask)
  const names = createItemNames(mask)
  const events: JsonObject[] = []
  // From the first one: events before the page name its items, and hold what is masked in it.
  for (const { seq, event } of await engine.readEvents(run.run_id)) {
    learnFromEvent(mask, event)
    names.take(event)
    if (seq <= after) continue
    if (events.length === limit) return { events, next: Number(events.at(-1)?.['seq']) }
    events.push({ seq, ...(mask.value(publicEvent(event, names)) as JsonObject) })
  }
  return { events }
}
