import { type Action, insideSandbox } from '../../actions/index.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Plan } from '../../core/plan.ts'
import { shellWord } from '../../core/shell-word.ts'
import { type QueuedRun, queueRun } from '../../engine/embedded/queue-run.ts'
import { findServing, isServed } from '../../engine/embedded/serve-lock.ts'
import { CommandError } from '../command-error.ts'
import type { StartFlags } from '../commands/start.ts'
import { placeFlags } from '../configuration/place-flags.ts'
import { exitCodes } from '../exit-codes.ts'
import { sandboxName } from '../sandbox-name.ts'
import { refuseOtherProject } from './refuse-other-project.ts'

/** What is started. */
export interface StartedWork {
  readonly plan: Plan
  readonly inputs: JsonObject
  readonly actions: readonly Action[]
  readonly dataDir: string
  /** The folder of the project. */
  readonly project: string
  /** Told what becomes of the start where another run goes on. */
  readonly say: (text: string) => void
}

/** Records the run for the `serve` that works in the data directory. */
export function startEmbedded(named: string, options: StartFlags, work: StartedWork): QueuedRun {
  if (!isServed(work.dataDir)) throw nobodyServes(named, options, work.dataDir)
  refuseOtherProject(work)
  return queueRun({
    ...work,
    actions:
      findServing(work.dataDir)?.connection === sandboxName ? insideSandbox(work.actions) : work.actions,
    ...(options.id === undefined ? {} : { key: options.id }),
    ...(options.connection === undefined ? {} : { connection: options.connection }),
    ...(options.yes ? { approve: 'all' as const } : {}),
  })
}

function nobodyServes(named: string, options: StartFlags, dataDir: string): CommandError {
  const flags = placeFlags(options)
  return new CommandError(
    exitCodes.environment,
    `no "opsbook serve" works in ${dataDir}: nobody would carry the run out`,
    {
      hints: [
        `"${`opsbook serve ${flags}`.trim()}" starts one`,
        `"opsbook run ${shellWord(named)}" carries the run out itself`,
        'on a Temporal server: --engine temporal',
      ],
    },
  )
}
