/** `opsbook logs`: what happened in a run, line by line. */
import type { TimedRunEvent } from '../../core/events.ts'
import { createMask, type Mask } from '../../core/mask/mask.ts'
import type { RecordedEvent, RunRecord } from '../../core/record/run-record.ts'
import type { Engine } from '../../engine/engine.ts'
import { untilAnswered } from '../../engine/temporal/client/patience.ts'
import type { LogsOptions } from '../commands/logs.ts'
import { answer, type CommandContext, tell } from '../context.ts'
import { withEngine } from '../engine/with-engine.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { findRun } from '../record/find-run.ts'
import { hideSensitiveInputs, learnFromEvent, learnSecrets } from '../record/learn-secrets.ts'
import { eventText } from '../run/follow/event-text.ts'
import { createRunState, type RunState } from '../run/follow/run-state.ts'
import { publicEvent } from '../run/public-json.ts'
import { handleStopSignals } from '../run/stop-signals.ts'
import { momentText } from '../terminal/duration-text.ts'
import { printableLine } from '../terminal/printable.ts'

/** Prints the log of a run; with `follow` until the run is over or somebody has seen enough. */
export function logs(context: CommandContext, given: string, options: LogsOptions): Promise<ExitCode> {
  return withEngine(context, options, async (engine) => {
    const find = (): Promise<RunRecord> => findRun(given, engine)
    const run = await (options.follow ? untilAnswered(find, (text) => tell(context, text)) : find())
    const mask = createMask()
    hideSensitiveInputs(run, mask)
    if (!options.reveal) await learnSecrets(run, engine, mask)
    if (run.kept_from !== undefined)
      tell(
        context,
        `what happened before ${run.kept_from} is not kept any more: the retention of the server has passed`,
      )
    const lineOf = options.output === 'ndjson' ? jsonLine : textLine
    const state = createRunState({ mask })
    const write = ({ event }: RecordedEvent): void => {
      if (!options.reveal) learnFromEvent(mask, event)
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

type LineOf = (event: TimedRunEvent, mask: Mask, state: RunState) => string | undefined

const jsonLine: LineOf = (event, mask, { items }) => JSON.stringify(mask.value(publicEvent(event, items)))

/** Everything that there are words for, with day and time. */
const textLine: LineOf = (event, mask, state) => {
  const text = eventText(event, state)
  return text === undefined
    ? undefined
    : `${momentText(Date.parse(event.at))} ${mask.text(printableLine(text))}`
}
