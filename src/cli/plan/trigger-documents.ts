import type { Template } from '../../core/expressions/tree.ts'
import { type KnownScope, unknown } from '../../core/forecast/known.ts'
import { entriesOf } from '../../core/forecast/template-parts.ts'
import { forecastValue } from '../../core/forecast/value-forecast.ts'
import type { TriggerPlan } from '../../core/plan.ts'
import { nextStarts, type Schedule } from '../../triggers/schedules/next-starts.ts'
import type { TriggerDocument, TriggerInput, ValueDocument } from './document.ts'

type Incident = TriggerPlan & { readonly type: 'incident' }

const shownStarts = 5

/** What starts a runbook by itself, as the document says it. */
export function triggerDocuments(
  triggers: readonly TriggerPlan[] | undefined,
  nowMs: number,
): readonly TriggerDocument[] {
  return (triggers ?? []).map((trigger) =>
    trigger.type === 'incident' ? incidentDocument(trigger) : scheduleDocument(trigger, nowMs),
  )
}

function incidentDocument({
  hook,
  where,
  dedupeKey,
  cooldown,
  maxStarts,
  with: given,
}: Incident): TriggerDocument {
  const scope: KnownScope = { event: unknown }
  const value = (template: Template): ValueDocument => forecastValue(template, scope)
  return {
    type: 'incident',
    ...(hook === undefined ? {} : { hook }),
    ...(where === undefined ? {} : { where: where.source }),
    ...(dedupeKey === undefined ? {} : { dedupe_key: value(dedupeKey) }),
    ...(cooldown === undefined
      ? {}
      : { cooldown: { for_ms: cooldown.forMs, ...(cooldown.key ? { key: value(cooldown.key) } : {}) } }),
    max_starts: { count: maxStarts.count, per_ms: maxStarts.perMs },
    inputs: inputsOf(given, scope),
  }
}

function scheduleDocument(schedule: Schedule, nowMs: number): TriggerDocument {
  const { cron, everyMs, timezone, jitterMs, overlap, catchUpMs, startAt, endAt } = schedule
  return {
    type: 'schedule',
    ...(cron === undefined ? {} : { cron }),
    ...(everyMs === undefined ? {} : { every_ms: everyMs }),
    timezone,
    ...(jitterMs === undefined ? {} : { jitter_ms: jitterMs }),
    overlap,
    ...(catchUpMs === undefined ? {} : { catch_up_ms: catchUpMs }),
    ...(startAt === undefined ? {} : { start_at: startAt }),
    ...(endAt === undefined ? {} : { end_at: endAt }),
    next: nextStarts(schedule, nowMs, shownStarts).map((time) => new Date(time).toISOString()),
    inputs: inputsOf(schedule.with, {}),
  }
}

/** The inputs that a trigger gives, one by one; all of them under an empty name where they are not told apart. */
function inputsOf(given: Template | undefined, scope: KnownScope): readonly TriggerInput[] {
  if (given === undefined) return []
  const isMap = given.kind === 'object' || given.kind === 'literal'
  const entries = isMap ? entriesOf(given) : [['', given] as const]
  return entries.map(([name, template]) => ({ name, ...forecastValue(template, scope) }))
}
