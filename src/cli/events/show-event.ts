/** `opsbook events show`: one event, and the decision for each trigger. */

import { findEvent } from '../../acts/reads/events/index.ts'
import { type EventDecision, triggerText } from '../../core/triggers/index.ts'
import { publicJson } from '../../documents/index.ts'
import type { EventStore } from '../../engine/index.ts'
import { withEventStore } from '../../project/engine/index.ts'
import { CommandError, type Paint } from '../../project/index.ts'
import { printableLine } from '../../project/text/index.ts'
import { answer, answerJson, type CommandContext } from '../shared/context.ts'
import { momentText } from '../shared/terminal/quantity-text.ts'
import { type EventsFlags, nothingText } from './list-events.ts'

export function showEvent(context: CommandContext, given: string, flags: EventsFlags): Promise<void> {
  const id = flags.hook === undefined || given.includes('/') ? given : `${flags.hook}/${given}`
  const work = async (store: EventStore): Promise<void> => {
    const event = await findEvent(store, id)
    if (flags.output === 'json') return answerJson(context, publicJson(event))
    const { paint } = context
    const { hook, event_id, type, received_at, deliveries, starts, taken = [], body } = event
    answer(context, [
      `${paint.bold(printableLine(event_id))}  ${type} of ${hook}, received ${momentText(Date.parse(received_at))}${deliveries > 1 ? `, delivered ${deliveries} times` : ''}`,
      ...(starts.length + taken.length === 0
        ? ['', nothingText(hook)]
        : starts.flatMap((one) => ['', ...decisionLines(one, paint)])),
      ...(taken.length === 0 ? [] : ['']),
      ...taken.map(({ run_id, path }) => `${paint.green('taken')} by ${run_id}, ${printableLine(path)}`),
      '',
      paint.dim('The event as it was recorded:'),
      ...(body === undefined ? ['  it was too large to be recorded'] : indented(body)),
    ])
  }
  return withEventStore(context, flags, work, (location) => {
    throw new CommandError('usage', `there are no events in ${printableLine(location)}`, {
      hints: ['"opsbook serve" records them; use --data-dir or OPSBOOK_DATA_DIR for another folder'],
    })
  })
}

/** The decision for one trigger, and its reason. */
export function decisionLines(decision: EventDecision, paint: Paint): readonly string[] {
  const { runbook, trigger, run_id, because, message, details } = decision
  const verdict = because === undefined ? paint.green(`started ${run_id}`) : paint.yellow(because)
  return [
    `${paint.bold(printableLine(runbook))} ${triggerText(trigger)}  ${verdict}`,
    ...(message === undefined ? [] : [`  ${printableLine(message)}`]),
    ...(because !== undefined && run_id !== undefined ? [`  because of ${run_id}`] : []),
    ...(details === undefined ? [] : indented(details)),
  ]
}

/** A value as indented JSON, safe to print on a terminal. */
export function indented(value: unknown): readonly string[] {
  return JSON.stringify(value, null, 2)
    .split('\n')
    .map((line) => `  ${printableLine(line)}`)
}
