/** `opsbook events`: what came in, and what was decided of it. */
import { suggest } from '../../core/nearest.ts'
import { type EventRecord, type NoStartReason, noStartReasons } from '../../core/triggers/event-record.ts'
import type { EventBook } from '../../engine/event-book.ts'
import { CommandError } from '../command-error.ts'
import type { EventsFlags } from '../commands/events.ts'
import { readConfiguration } from '../configuration/index.ts'
import { noHook } from '../configuration/no-hook.ts'
import { answer, answerJson, type CommandContext, tell } from '../context.ts'
import { withEventBook } from '../engine/with-event-book.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { publicJson } from '../run/public-json.ts'
import { nameOfRunbook } from '../runbook-files/name-of-runbook.ts'
import { readMoment } from '../runs/read-filter.ts'
import { columns } from '../terminal/columns.ts'
import { momentText } from '../terminal/duration-text.ts'
import type { Paint } from '../terminal/paint.ts'
import { printableLine } from '../terminal/printable.ts'
import { tellPause } from './tell-pause.ts'

/** Lists the events that fit the flags, the newest first. */
export async function listEvents(context: CommandContext, flags: EventsFlags): Promise<ExitCode> {
  const { hook, runbook, because, started, since, limit } = flags
  const wanted = runbook === undefined ? undefined : await nameOfRunbook(runbook, context)
  const filter = {
    ...(hook === undefined ? {} : { hook }),
    ...(wanted === undefined ? {} : { runbook: wanted.name }),
    ...(because === undefined ? {} : { because: readReason(because) }),
    ...(started === undefined ? {} : { isStart: true }),
    ...(since === undefined ? {} : { receivedFromMs: readMoment(since, Date.now()) }),
  }
  const work = async (book: EventBook): Promise<ExitCode> => {
    // One more than is shown tells whether there are more.
    const found = await book.listEvents({ ...filter, limit: limit + 1 })
    const shown = found.slice(0, limit)
    // One that is here no longer may be on record all the same.
    if (found.length === 0) await tellUnknown(context, wanted?.problem, hook)
    const pause = await book.readPause()
    if (flags.output === 'json') {
      const events = shown.map(({ body: _, ...event }) => publicJson(event))
      answerJson(context, { events, ...(pause === undefined ? {} : { paused: pause }) })
      return exitCodes.succeeded
    }
    tellPause(context, pause, flags)
    if (shown.length === 0) answer(context, 'no event fits')
    else answer(context, lines(shown, found.length > shown.length, context.paint))
    return exitCodes.succeeded
  }
  return withEventBook(context, flags, work, (place) => {
    if (flags.output === 'json') answerJson(context, { events: [] })
    else answer(context, `no events in ${printableLine(place)} yet`)
    return exitCodes.succeeded
  })
}

/** What is said of names that are none here. */
async function tellUnknown(
  context: CommandContext,
  noRunbook: CommandError | undefined,
  hook: string | undefined,
): Promise<void> {
  const lines = noRunbook ? [noRunbook.message, ...noRunbook.hints] : []
  const hooks = Object.keys((await readConfiguration(context.io)).document.hooks ?? {})
  if (hook !== undefined && !hooks.includes(hook)) lines.push(noHook(hook, hooks))
  if (lines.length > 0)
    tell(
      context,
      lines.map((line) => `  ${printableLine(line)}`),
    )
}

function readReason(given: string): NoStartReason {
  const reason = noStartReasons.find((name) => name === given)
  if (reason) return reason
  throw new CommandError(exitCodes.usage, `there is no reason "${given}"`, {
    hints: [suggest(given, noStartReasons)],
  })
}

const head = ['RECEIVED', 'HOOK', 'EVENT', 'RUNBOOK', 'DECISION', '']

function lines(events: readonly EventRecord[], hasMore: boolean, paint: Paint): readonly string[] {
  const [title = '', ...table] = columns([head, ...events.flatMap(rowsOf)], (cell, row, column) => {
    if (row === 0) return paint.dim(cell)
    return column === 2 ? paint.bold(cell) : cell
  })
  return [
    title,
    ...table,
    ...(hasMore ? ['', paint.dim('there are more: --limit, or a filter')] : []),
    '',
    paint.dim('opsbook events show EVENT says why'),
  ]
}

/** The first line of an event says what it is, each further one only another decision. */
function rowsOf({
  received_at,
  hook,
  event_id,
  starts,
  deliveries,
}: EventRecord): readonly (readonly string[])[] {
  const again = deliveries > 1 ? `delivered ${deliveries} times` : ''
  const of = [momentText(Date.parse(received_at)), hook, printableLine(event_id)]
  if (starts.length === 0) return [[...of, '', 'no trigger for it', again]]
  return starts.map(({ runbook, run_id, because }, index) => [
    ...(index === 0 ? of : ['', '', '']),
    printableLine(runbook),
    because ?? `started ${run_id}`,
    index === 0 ? again : '',
  ])
}
