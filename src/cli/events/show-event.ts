/** `opsbook events show`: one event, and why it started what it did. */
import type { EventDecision } from '../../core/triggers/event-record.ts'
import { triggerText } from '../../core/triggers/trigger-text.ts'
import type { EventBook } from '../../engine/event-book.ts'
import { CommandError } from '../command-error.ts'
import type { EventsFlags } from '../commands/events.ts'
import { answer, answerJson, type CommandContext } from '../context.ts'
import { withEventBook } from '../engine/with-event-book.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { publicJson } from '../run/public-json.ts'
import { momentText } from '../terminal/duration-text.ts'
import type { Paint } from '../terminal/paint.ts'
import { printableLine } from '../terminal/printable.ts'

export function showEvent(context: CommandContext, given: string, flags: EventsFlags): Promise<ExitCode> {
  const id = flags.hook === undefined || given.includes('/') ? given : `${flags.hook}/${given}`
  const work = async (book: EventBook): Promise<ExitCode> => {
    const event = await book.readEvent(id)
    if (!event) {
      throw new CommandError(exitCodes.usage, `there is no event ${printableLine(id)}`, {
        hints: ['"opsbook events" lists those that are there'],
      })
    }
    if (flags.output === 'json') {
      answerJson(context, publicJson(event))
      return exitCodes.succeeded
    }
    const { paint } = context
    const { hook, event_id, type, received_at, deliveries, starts, body } = event
    answer(context, [
      `${paint.bold(printableLine(event_id))}  ${type} of ${hook}, received ${momentText(Date.parse(received_at))}${deliveries > 1 ? `, delivered ${deliveries} times` : ''}`,
      ...(starts.length === 0
        ? ['', 'no trigger for it']
        : starts.flatMap((one) => ['', ...decisionLines(one, paint)])),
      '',
      paint.dim('What triggers saw as "event":'),
      ...(body === undefined ? ['  it was too large to be kept'] : indented(body)),
    ])
    return exitCodes.succeeded
  }
  return withEventBook(context, flags, work, (place) => {
    throw new CommandError(exitCodes.usage, `there are no events in ${printableLine(place)}`, {
      hints: ['"opsbook serve" takes them; --data-dir or OPSBOOK_DATA_DIR names another folder'],
    })
  })
}

/** What was decided for one trigger, and why. */
export function decisionLines(decision: EventDecision, paint: Paint): readonly string[] {
  const { runbook, trigger, run_id, because, message, details } = decision
  const verdict = because === undefined ? paint.green(`started ${run_id}`) : paint.yellow(because)
  return [
    `${paint.bold(printableLine(runbook))} ${triggerText(trigger)}  ${verdict}`,
    ...(message === undefined ? [] : [`  ${printableLine(message)}`]),
    ...(because !== undefined && run_id !== undefined ? [`  on account of ${run_id}`] : []),
    ...(details === undefined ? [] : indented(details)),
  ]
}

/** A value as it can be read, each line of it harmless to a terminal. */
export function indented(value: unknown): readonly string[] {
  return JSON.stringify(value, null, 2)
    .split('\n')
    .map((line) => `  ${printableLine(line)}`)
}
