import type { ConsoleReads } from '../../console/server/index.ts'
import type { JsonObject } from '../../core/json.ts'
import { createMask } from '../../core/mask/index.ts'
import type { Engine } from '../../engine/index.ts'
import { createRunView } from '../../view/run/index.ts'
import { readRunsPage } from '../runs/runs-page.ts'
import type { CommandContext } from '../shared/context.ts'
import type { EngineFlags } from '../shared/options.ts'
import { findRun } from '../shared/record/find-run.ts'
import { learnSecrets } from '../shared/record/learn-secrets.ts'
import { readShowDocument } from '../show/show-document.ts'

/** Where the documents come from. */
export interface ReadsOptions {
  readonly context: CommandContext
  readonly engine: Engine
  /** The flags that find the engine again. */
  readonly flags: EngineFlags
}

/** The documents of the commands, for the console. What `show` masks is masked in all of them. */
export function createReads({ context, engine }: ReadsOptions): ConsoleReads {
  const read = (id: string): Promise<JsonObject> => readShowDocument(id, engine, context.io)
  return {
    runs: (query) => readRunsPage(query, engine),
    run: read,
    async view(id) {
      const run = await findRun(id, engine)
      const mask = createMask()
      await learnSecrets(run, engine, mask)
      const view = createRunView(run, mask)
      for (const recorded of await engine.readEvents(run.run_id)) view.take(recorded)
      view.takeState(run)
      return mask.value(view.view(Date.now()) as unknown as JsonObject) as JsonObject
    },
  }
}
