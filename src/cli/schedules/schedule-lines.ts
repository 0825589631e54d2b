import { formatDuration } from '../../core/duration.ts'
import { identityText } from '../../core/record/identity.ts'
import type { ScheduleFire, SchedulePause, ScheduleRecord } from '../../core/triggers/schedule-record.ts'
import type { CommandContext } from '../context.ts'
import { overlapWords } from '../plan/text/trigger-lines.ts'
import { countText } from '../terminal/count-text.ts'
import { printableLine } from '../terminal/printable.ts'
import { createZoneText } from '../terminal/zone-text.ts'

/** Who carries the schedules out. */
export interface SchedulePlace {
  readonly kind: 'embedded' | 'temporal'
  readonly place: string
  /** Nobody does at the moment. */
  readonly isIdle: boolean
}

const labelWidth = 10

/** The schedules for people, one after the other. */
export function scheduleLines(
  records: readonly ScheduleRecord[],
  { kind, place, isIdle }: SchedulePlace,
  context: CommandContext,
): readonly string[] {
  if (records.length === 0)
    return [`no runbook here has a schedule, and there is none in ${printableLine(place)}`]
  const isMissing = records.some(({ state }) => state === 'missing')
  const hints = [
    ...(records.some(({ is_served }) => is_served)
      ? [`an "opsbook serve" is at work in ${printableLine(place)}, and starts what its runbooks name`]
      : []),
    ...(isIdle ? ['nobody starts them at the moment: "opsbook serve" does'] : []),
    ...(kind === 'temporal' && isMissing
      ? ['"opsbook schedules apply" makes the server have what is missing']
      : []),
    ...(records.some(({ state }) => state === 'left')
      ? [
          `no runbook names ${kind === 'temporal' ? 'some of them' : 'some of them here'} any more: "opsbook schedules delete" forgets one`,
        ]
      : []),
  ]
  return [
    ...records.flatMap((record) => [...recordLines(record, context), '']),
    ...hints.map((hint) => context.paint.dim(hint)),
  ]
}

function recordLines(record: ScheduleRecord, { paint }: CommandContext): readonly string[] {
  const { id, state, next, last, missed, overlapped = 0, paused, problem, overlap, timezone = 'UTC' } = record
  const inZone = createZoneText(timezone)
  const color = state === 'active' ? paint.green : state === 'ended' ? paint.dim : paint.yellow
  const rows: readonly (readonly [label: string, texts: readonly string[]])[] = [
    ['times', rhythmTexts(record)],
    ['overlap', overlap === undefined || overlap === 'skip' ? [] : [overlapWords[overlap]]],
    ['paused', paused ? [pausedText(paused)] : []],
    ['problem', problem === undefined ? [] : [problem]],
    ['next', next.map((time) => inZone(new Date(time)))],
    ['last', last.map((fire) => fireText(fire, inZone))],
    ['missed', missed === 0 ? [] : [countText(missed, 'time')]],
    ['skipped', overlapped === 0 ? [] : [`${countText(overlapped, 'time')}, as the run before went on`]],
  ]
  const lines = rows.flatMap(([label, texts]) =>
    texts.map(
      (text, index) => `  ${paint.dim((index === 0 ? label : '').padEnd(labelWidth))}${printableLine(text)}`,
    ),
  )
  return [`${paint.bold(id)}  ${color(stateWords[state])}`, ...lines]
}

const stateWords: Readonly<Record<ScheduleRecord['state'], string>> = {
  active: 'active',
  paused: 'paused',
  ended: 'ended: it has no times any more',
  missing: 'not carried out yet',
  left: 'no runbook here names it any more',
  broken: 'starts nothing: its inputs do not fit',
}

function rhythmTexts({ cron, every_ms: everyMs, timezone }: ScheduleRecord): readonly string[] {
  if (cron !== undefined) return [`${cron}, ${timezone}`]
  return everyMs === undefined ? [] : [`every ${formatDuration(everyMs)}`]
}

function pausedText({ by, since, comment }: SchedulePause): string {
  return [
    ...(by === undefined ? [] : [`by ${identityText(by)}`]),
    ...(since === undefined ? [] : [`since ${since}`]),
    ...(comment === undefined ? [] : [`: ${comment}`]),
  ]
    .join(' ')
    .replace(' : ', ': ')
}

function fireText(
  { at, run_id: runId, because, message, started_by: by }: ScheduleFire,
  inZone: (time: Date) => string,
): string {
  const what =
    because === undefined
      ? (runId ?? 'started')
      : `${becauseWords[because]}${message === undefined ? '' : `: ${message}`}`
  return `${inZone(new Date(at))}  ${what}${by === undefined ? '' : `, by ${identityText(by)}`}`
}

const becauseWords: Readonly<Record<NonNullable<ScheduleFire['because']>, string>> = {
  missed: 'missed',
  overlap: 'skipped',
  waits: 'waits',
  inputs_invalid: 'not started',
  concurrency: 'not started',
}
