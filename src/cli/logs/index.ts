/** `opsbook logs`: the events of a run, line by line. */

import type { TimedRunEvent } from '../../core/events.ts'
import { createMask, type Mask } from '../../core/mask/index.ts'
import {
  createPlanIndex,
  type PlanIndex,
  type RecordedEvent,
  type RunRecord,
} from '../../core/record/index.ts'
import { maskDocument, publicEvent } from '../../documents/index.ts'
import type { Engine } from '../../engine/index.ts'
import { untilAnswered } from '../../engine/index.ts'
import { withEngine } from '../../project/engine/index.ts'
import type { EngineFlags } from '../../project/index.ts'
import {
  findRun,
  hideSensitiveInputs,
  isOfInputs,
  learnFromEvent,
  learnSecrets,
} from '../../project/records/index.ts'
import { locationFlags, printableLine } from '../../project/text/index.ts'
import { createRunTree, type RunTree } from '../../view/run/index.ts'
import { byText, eventText } from '../run/follow/event-text.ts'
import { nextLines } from '../run/report/next-lines.ts'
import { answer, type CommandContext, tell } from '../shared/context.ts'
import { type ExitCode, exitCodes } from '../shared/exit-codes.ts'
import { handleStopSignals } from '../shared/stop-signals.ts'
import { momentText } from '../shared/terminal/quantity-text.ts'
import { resolvedText } from '../show/people-lines.ts'

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
    const state = createRunTree({ mask })
    const lines = options.output === 'ndjson' ? jsonLines(mask, state) : textLines(run, mask, state)
    const write = ({ event }: RecordedEvent): void => {
      if (!options.reveal || isOfInputs(event)) learnFromEvent(mask, event)
      state.take(event)
      for (const line of lines.of(event)) answer(context, line)
    }
    const isLeft = options.follow ? await follow(context, run, engine, write) : false
    if (!options.follow) for (const recorded of await engine.readEvents(run.run_id)) write(recorded)
    const last = options.follow && !isLeft ? ((await engine.readRun(run.run_id)) ?? run) : run
    for (const line of lines.after(last)) answer(context, line)
    if (!options.follow || last.status !== 'interrupted') return exitCodes.succeeded
    const { errorPaint: paint } = context
    const [, ...next] = nextLines(last, state, { paint, items: state.items, flags: locationFlags(options) })
    tell(
      context,
      next.map((line) => mask.text(line)),
    )
    return exitCodes.interrupted
  })
}

/** Prints events until no process executes the run, or the user stops. Returns whether the user did. */
async function follow(
  context: CommandContext,
  { run_id }: RunRecord,
  engine: Engine,
  write: (recorded: RecordedEvent) => void,
): Promise<boolean> {
  const left = new AbortController()
  const forgetSignals = handleStopSignals(context.io, { onStop: () => left.abort(), onLeave() {} })
  try {
    const following = { signal: left.signal, say: (text: string) => tell(context, text) }
    for await (const recorded of engine.followEvents(run_id, following)) write(recorded)
    return left.signal.aborted
  } finally {
    forgetSignals()
  }
}

/** The lines of a run, in the order of its events. */
interface Lines {
  of(event: TimedRunEvent): readonly string[]
  /** What its last record has besides, once all events have their lines. */
  after(run: RunRecord): readonly string[]
}

function jsonLines(mask: Mask, { items }: RunTree): Lines {
  return { of: (event) => [JSON.stringify(maskDocument(mask, publicEvent(event, items)))], after: () => [] }
}

/** Lines of text with day and time. Some events have none, and decisions about unknown outcomes are no events. */
function textLines({ plan, decisions }: RunRecord, mask: Mask, state: RunTree): Lines {
  const index = createPlanIndex(plan)
  let written = 0
  const line = (at: string, text: string): string =>
    `${momentText(Date.parse(at))} ${mask.text(printableLine(text))}`
  const decisionsUntil = (until: number, all: RunRecord['decisions']): readonly string[] => {
    const later = all.findIndex(({ at }, position) => position >= written && Date.parse(at) > until)
    const due = all.slice(written, later < 0 ? all.length : later)
    written += due.length
    return due.map((one) => line(one.at, `${resolvedText(one, state.items)} by ${byText(one)}`))
  }
  return {
    of(event) {
      const text = event.type === 'item_finished' ? itemText(event, index, state) : eventText(event, state)
      const before = decisionsUntil(Date.parse(event.at), decisions)
      return text === undefined ? before : [...before, line(event.at, text)]
    },
    after: (run) => decisionsUntil(Number.POSITIVE_INFINITY, run.decisions),
  }
}

/** How an item has ended that is a call. One with steps of its own has the lines of its steps. */
function itemText(
  { path, status }: TimedRunEvent & { type: 'item_finished' },
  index: PlanIndex,
  { items }: RunTree,
): string | undefined {
  const step = index.ownerOf(path)?.step
  return step?.kind === 'uses' && !index.childOf(step) ? `${items.label(path)}: ${status}` : undefined
}
