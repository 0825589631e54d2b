/** `opsbook logs`: the events of a run, line by line. */
import type { TimedRunEvent } from '../../core/events.ts'
import { createMask, type Mask } from '../../core/mask/index.ts'
import type { RecordedEvent, RunRecord } from '../../core/record/index.ts'
import type { Engine } from '../../engine/index.ts'
import { untilAnswered } from '../../engine/index.ts'
import { createRunTree, type RunTree } from '../../view/run/index.ts'
import { eventText } from '../run/follow/event-text.ts'
import { publicEvent } from '../run/public-json.ts'
import { answer, type CommandContext, tell } from '../shared/context.ts'
import { withEngine } from '../shared/engine/with-engine.ts'
import { type ExitCode, exitCodes } from '../shared/exit-codes.ts'
import type { EngineFlags } from '../shared/options.ts'
import { findRun } from '../shared/record/find-run.ts'
import {
  hideSensitiveInputs,
  isOfInputs,
  learnFromEvent,
  learnSecrets,
} from '../shared/record/learn-secrets.ts'
import { handleStopSignals } from '../shared/stop-signals.ts'
import { printableLine } from '../shared/terminal/printable.ts'
import { momentText } from '../shared/terminal/quantity-text.ts'

/** The flags of `logs`, as the parser hands them over. */
export interface LogsOptions extends EngineFlags {
  readonly follow?: boolean
  readonly reveal?: boolean
  readonly output: 'text' | 'ndjson'
}

/** Prints the events of a run; with `--follow` until the run ends or the user stops. */
export function logs(context: CommandContext, given: string, options: LogsOptions): Promise<ExitCode> {
  return withEngine(context, options, async (engine) => {
    const find = (): Promise<RunRecord> => findRun(given, engine)
    const run = await (options.follow ? untilAnswered(find, (text) => tell(context, text)) : find())
    const mask = createMask()
    await hideSensitiveInputs(run, engine, mask)
    if (!options.reveal) await learnSecrets(run, engine, mask)
    if (run.kept_from !== undefined)
      tell(
        context,
        `events before ${run.kept_from} are no longer kept: the retention period of the server has passed`,
      )
    const lineOf = options.output === 'ndjson' ? jsonLine : textLine
    const state = createRunTree({ mask })
    const write = ({ event }: RecordedEvent): void => {
      if (!options.reveal || isOfInputs(event)) learnFromEvent(mask, event)
      state.take(event)
      const line = lineOf(event, mask, state)
      if (line !== undefined) answer(context, line)
    }
    if (options.follow) await follow(context, run, engine, write)
    else for (const recorded of await engine.readEvents(run.run_id)) write(recorded)
    return exitCodes.succeeded
  })
}

async function follow(
  context: CommandContext,
  { run_id }: RunRecord,
  engine: Engine,
  write: (recorded: RecordedEvent) => void,
): Promise<void> {
  const left = new AbortController()
  const forgetSignals = handleStopSignals(context.io, { onStop: () => left.abort(), onLeave() {} })
  try {
    const following = { signal: left.signal, say: (text: string) => tell(context, text) }
    for await (const recorded of engine.followEvents(run_id, following)) write(recorded)
  } finally {
    forgetSignals()
  }
}

type LineOf = (event: TimedRunEvent, mask: Mask, state: RunTree) => string | undefined

const jsonLine: LineOf = (event, mask, { items }) => JSON.stringify(mask.value(publicEvent(event, items)))

/** An event as text with day and time; undefined for events that have no text. */
const textLine: LineOf = (event, mask, state) => {
  const text = eventText(event, state)
  return text === undefined
    ? undefined
    : `${momentText(Date.parse(event.at))} ${mask.text(printableLine(text))}`
}
