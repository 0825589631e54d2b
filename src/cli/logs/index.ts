/** `opsbook logs`: the events of a run, line by line. */

import { partOf } from '../../acts/reads/run/index.ts'
import type { TimedRunEvent } from '../../core/events.ts'
import { createMask, type Mask } from '../../core/mask/index.ts'
import {
  createPlanIndex,
  isExecuted,
  isPathInside,
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
import { locationFlags, printableLine, readMoment } from '../../project/text/index.ts'
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
  readonly step?: string
  readonly since?: string
  readonly tail?: number
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
    const isMeant = selectEvents(options)
    const past = await engine.readEvents(run.run_id)
    // A step that a run has not begun can be followed all the same.
    if (options.step !== undefined && !(options.follow && isExecuted(run.status)))
      partOf(run, { events: past, attempts: [] }, options.step)
    let lastSeq = 0
    const linesOf = ({ event, seq }: RecordedEvent): readonly string[] => {
      lastSeq = seq
      if (!options.reveal || isOfInputs(event)) learnFromEvent(mask, event)
      state.take(event)
      return isMeant(event) ? lines.of(event) : []
    }
    answerLast(context, past, linesOf, options.tail)
    const write = (recorded: RecordedEvent): void => {
      for (const line of linesOf(recorded)) answer(context, line)
    }
    const isLeft = options.follow ? await follow(context, run, engine, lastSeq, write) : false
    const last = options.follow && !isLeft ? ((await engine.readRun(run.run_id)) ?? run) : run
    if (options.step === undefined) for (const line of lines.after(last)) answer(context, line)
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

/** Which events the flags are for. */
function selectEvents({ step, since }: LogsOptions): (event: TimedRunEvent) => boolean {
  const sinceMs = since === undefined ? undefined : readMoment(since, Date.now())
  return (event) => {
    if (sinceMs !== undefined && Date.parse(event.at) < sinceMs) return false
    return step === undefined || ('path' in event && isPathInside(event.path, step))
  }
}

/** Prints the lines of events, or only the last of them. */
function answerLast(
  context: CommandContext,
  events: Iterable<RecordedEvent>,
  linesOf: (recorded: RecordedEvent) => readonly string[],
  tail: number | undefined,
): void {
  const kept: string[] = []
  for (const recorded of events) {
    const lines = linesOf(recorded)
    if (tail === undefined) for (const line of lines) answer(context, line)
    else kept.push(...lines)
    if (tail !== undefined && kept.length > 2 * tail) kept.splice(0, kept.length - tail)
  }
  if (tail !== undefined) for (const line of kept.slice(-tail)) answer(context, line)
}

/** Prints further events until no process executes the run, or the user stops. Returns whether the user did. */
async function follow(
  context: CommandContext,
  { run_id }: RunRecord,
  engine: Engine,
  afterSeq: number,
  write: (recorded: RecordedEvent) => void,
): Promise<boolean> {
  const left = new AbortController()
  const forgetSignals = handleStopSignals(context.io, { onStop: () => left.abort(), onLeave() {} })
  try {
    const following = { afterSeq, signal: left.signal, say: (text: string) => tell(context, text) }
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
