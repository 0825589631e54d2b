import type { ValuePreview } from '../../../core/preview/index.ts'
import { formatDuration } from '../../../core/times/index.ts'
import type { TriggerDocument } from '../../../documents/index.ts'
import { createZoneText } from '../../shared/terminal/quantity-text.ts'
import { type PlanRow, pairRows, type RowStyle, rowLines } from './rows.ts'
import { noun, valueWords } from './words.ts'

type Schedule = TriggerDocument & { readonly type: 'schedule' }
type Incident = TriggerDocument & { readonly type: 'incident' }

/** The triggers of a runbook. */
export function triggerLines(triggers: readonly TriggerDocument[], style: RowStyle): readonly string[] {
  if (triggers.length === 0) return []
  const lines = triggers.flatMap((trigger) => {
    const rows = trigger.type === 'schedule' ? scheduleRows(trigger) : incidentRows(trigger)
    const pairs = trigger.inputs.map((input) => [input.name || '(all)', sourceWords(input)] as const)
    return [...rowLines([...rows, ...pairRows('with', pairs)], 2, style), '']
  })
  return [style.paint.bold('Automatic starts'), '', ...lines]
}

function incidentRows({
  hook,
  where,
  dedupe_key: dedupe,
  cooldown,
  max_starts: most,
}: Incident): readonly PlanRow[] {
  const of = cooldown?.key === undefined ? '' : ` for each ${sourceWords(cooldown.key)}`
  return [
    { label: 'incident', text: hook === undefined ? 'of any hook' : `of the hook ${hook}` },
    ...(where === undefined ? [] : [{ label: 'if', text: where, isWhole: true }]),
    ...(dedupe === undefined ? [] : [{ label: 'once', text: `for each ${sourceWords(dedupe)}` }]),
    ...(cooldown === undefined
      ? []
      : [{ label: 'cooldown', text: `${formatDuration(cooldown.for_ms)} after each start${of}` }]),
    { label: 'at most', text: `${noun(most.count, 'start')} in ${formatDuration(most.per_ms)}` },
  ]
}

/** A value that depends on the event is shown as its expression. */
function sourceWords(value: ValuePreview): string {
  return value.state === 'open' ? value.source.replace(/^\$\{\{ (.*) \}\}$/s, '$1') : valueWords(value)
}

function scheduleRows(schedule: Schedule): readonly PlanRow[] {
  const { cron, every_ms: every = 0, timezone, next, catch_up_ms: catchUp } = schedule
  const rhythm = cron === undefined ? `every ${formatDuration(every)}` : `${cron}, ${timezone}`
  const format = createZoneText(timezone)
  return [
    { label: 'schedule', text: rhythm },
    ...next.map((time, index) => ({ label: index === 0 ? 'next' : '', text: format(new Date(time)) })),
    { label: 'missed', text: `started late, for up to ${formatDuration(catchUp)}` },
    { label: 'overlap', text: overlapWords[schedule.overlap], isWhole: true },
  ]
}

export const overlapWords: Readonly<Record<Schedule['overlap'], string>> = {
  skip: 'no start while the last run continues',
  'buffer-one': 'one start waits until the last run ends',
  'cancel-other': 'a start cancels the last run',
  'allow-all': 'runs may overlap',
}
