/** `opsbook events`: received events and the decisions about them. */

import {
  type EventsQuery,
  eventsDocument,
  newestRefused,
  readEventFilter,
  readEventsPage,
} from '../../acts/reads/events/index.ts'
import { isCallback } from '../../core/hooks/index.ts'
import { identityText } from '../../core/people/index.ts'
import type { EventRecord } from '../../core/triggers/index.ts'
import type { EventStore, TriggerPause } from '../../engine/index.ts'
import { noHook, readConfiguration } from '../../project/configuration/index.ts'
import { withEventStore } from '../../project/engine/index.ts'
import { CommandError, type EngineFlags, type Paint } from '../../project/index.ts'
import { nameOfRunbook } from '../../project/runbooks/index.ts'
import { locationFlags, printableLine, readMoment } from '../../project/text/index.ts'
import { answer, answerJson, type CommandContext, tell } from '../shared/context.ts'
import type { OutputFlags } from '../shared/options.ts'
import { columns } from '../shared/terminal/columns.ts'
import { momentText } from '../shared/terminal/quantity-text.ts'

/** The flags of `events`, as the parser hands them over. */
export interface EventsFlags extends EventsQuery, EngineFlags, OutputFlags {
  readonly refused?: boolean
}

/** Lists the events that match the flags, or the refused deliveries, newest first. */
export function listReceivedEvents(context: CommandContext, flags: EventsFlags): Promise<void> {
  return flags.refused ? listRefused(context, flags) : listReceived(context, flags)
}

async function listReceived(context: CommandContext, flags: EventsFlags): Promise<void> {
  const { hook, runbook } = flags
  const wanted = runbook === undefined ? undefined : await nameOfRunbook(runbook, context)
  const filter = readEventFilter(wanted === undefined ? flags : { ...flags, runbook: wanted.name })
  const work = async (store: EventStore): Promise<void> => {
    const page = await readEventsPage(store, filter)
    // A runbook or hook that no longer exists here can still have recorded events.
    if (page.events.length === 0) await warnOfUnknownNames(context, wanted?.problem, hook)
    if (flags.output === 'json') return answerJson(context, eventsDocument(page))
    reportPause(context, page.pause, flags)
    if (page.events.length === 0) answer(context, 'no event matches')
    else answer(context, lines(page.events, page.hasMore, context.paint))
  }
  return withEventStore(context, flags, work, (location) => {
    if (flags.output === 'json') answerJson(context, { events: [] })
    else answer(context, `no events in ${printableLine(location)} yet`)
  })
}

/** Reports a runbook or hook that does not exist here. */
async function warnOfUnknownNames(
  context: CommandContext,
  noRunbook: CommandError | undefined,
  hook: string | undefined,
): Promise<void> {
  const lines = noRunbook ? [noRunbook.message, ...noRunbook.hints] : []
  if (hook !== undefined) {
    const configuration = await readConfiguration(context.io).catch(() => undefined)
    const hooks = configuration && Object.keys(configuration.document.hooks ?? {})
    if (hooks && !hooks.includes(hook)) lines.push(noHook(hook, hooks))
  }
  if (lines.length > 0)
    tell(
      context,
      lines.map((line) => `  ${printableLine(line)}`),
    )
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
    ...(hasMore ? ['', paint.dim('there are more: raise --limit, or add a filter')] : []),
    '',
    paint.dim('"opsbook events show EVENT" shows why'),
  ]
}

/** The rows of an event: the first names the event, further ones only hold more decisions. */
function rowsOf({
  received_at,
  hook,
  event_id,
  starts,
  taken = [],
  deliveries,
}: EventRecord): readonly (readonly string[])[] {
  const again = deliveries > 1 ? `delivered ${deliveries} times` : ''
  const of = [momentText(Date.parse(received_at)), hook, printableLine(event_id)]
  const rows = [
    ...starts.map(({ runbook, run_id, because }) => [printableLine(runbook), because ?? `started ${run_id}`]),
    ...taken.map(({ run_id, path }) => ['', `taken by ${run_id}, ${printableLine(path)}`]),
  ]
  if (rows.length === 0) return [[...of, '', nothingText(hook), again]]
  return rows.map((row, index) => [...(index === 0 ? of : ['', '', '']), ...row, index === 0 ? again : ''])
}

/** What became of an event that started nothing and that no step has taken. */
export function nothingText(hook: string): string {
  return isCallback(hook) ? 'no step has taken it' : 'no trigger for it, and no step has taken it'
}

/** Reports a pause of all automatic starts. */
function reportPause(context: CommandContext, pause: TriggerPause | undefined, flags: EngineFlags): void {
  if (!pause) return
  const why = pause.comment === undefined ? '' : `: ${pause.comment}`
  const head = context.errorPaint.yellow('paused')
  tell(context, [
    `${head} by ${printableLine(identityText(pause.by))} since ${momentText(Date.parse(pause.since))}${printableLine(why)}; events and schedules start nothing`,
    `  ${`opsbook triggers unpause ${locationFlags(flags)}`.trim()}`,
  ])
}

const refusedHead = ['LAST', 'STATUS', 'HOOK', '', 'REASON']

/** Lists the refused deliveries that match the flags, newest first. */
async function listRefused(context: CommandContext, flags: EventsFlags): Promise<void> {
  const { hook, runbook, because, started, since, limit, output } = flags
  if (runbook !== undefined || because !== undefined || started)
    throw new CommandError('usage', '--refused can only be combined with --hook, --since and --limit', {
      hints: ['a refused delivery is not evaluated for any trigger'],
    })
  const fromMs = since === undefined ? 0 : readMoment(since, Date.now())
  const refused = await newestRefused(
    { limit, fromMs, ...(hook === undefined ? {} : { hook }) },
    context,
    flags,
  )
  if (output === 'json') answerJson(context, { refused })
  else if (refused.length === 0) answer(context, 'no delivery was refused')
  else {
    const rows = refused.map(({ last_at, status, hook: name = '(no such hook)', count, reason }) => [
      momentText(Date.parse(last_at)),
      String(status),
      printableLine(name),
      count > 1 ? `${count} times` : '',
      printableLine(reason),
    ])
    const { paint } = context
    answer(
      context,
      columns([refusedHead, ...rows], (cell, row) => (row === 0 ? paint.dim(cell) : cell)),
    )
  }
}
