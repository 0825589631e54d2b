/** `opsbook schedules`: the schedules of the engine and of the runbooks here. */

import { readSchedules, withSchedules } from '../../acts/schedules/index.ts'
import { identityText } from '../../core/people/index.ts'
import { formatDuration } from '../../core/times/index.ts'
import type { ScheduleFire, SchedulePause, ScheduleRecord } from '../../core/triggers/index.ts'
import type { TriggerPause } from '../../engine/index.ts'
import type { EngineFlags } from '../../project/index.ts'
import { locationFlags, printableLine } from '../../project/text/index.ts'
import { overlapWords } from '../plan/text/trigger-lines.ts'
import { answer, answerJson, type CommandContext } from '../shared/context.ts'
import type { OutputFlags } from '../shared/options.ts'
import { countText, createZoneText, momentText } from '../shared/terminal/quantity-text.ts'
import { allPausedText } from '../triggers/index.ts'

/** The flags of `schedules`, as the parser hands them over. */
export interface SchedulesFlags extends EngineFlags, OutputFlags {}

/** Lists the schedules of the engine and of the runbooks here. */
export function schedules(context: CommandContext, flags: SchedulesFlags): Promise<void> {
  return withSchedules(context, flags, async (open) => {
    const document = await readSchedules(open)
    const { engine: kind, is_served, paused, schedules: shown } = document
    if (flags.output === 'json') answerJson(context, document)
    else
      answer(context, [
        ...(paused ? [...pausedLines(paused, flags, context), ''] : []),
        ...scheduleLines(shown, { isIdle: is_served === false, kind, location: open.book.location }, context),
      ])
  })
}

function pausedLines(
  pause: TriggerPause,
  flags: SchedulesFlags,
  { paint }: CommandContext,
): readonly string[] {
  return [
    paint.yellow(printableLine(allPausedText(pause))),
    `  ${`opsbook triggers unpause ${locationFlags(flags)}`.trim()}`,
  ]
}

/** Where schedules are executed. */
export interface ScheduleLocation {
  readonly kind: 'embedded' | 'temporal'
  readonly location: string
  /** No process executes them now. */
  readonly isIdle: boolean
}

const labelWidth = 10

/** The schedules as text. */
function scheduleLines(
  records: readonly ScheduleRecord[],
  { kind, location, isIdle }: ScheduleLocation,
  context: CommandContext,
): readonly string[] {
  if (records.length === 0)
    return [`no runbook here has a schedule, and there is none in ${printableLine(location)}`]
  const isMissing = records.some(({ state }) => state === 'missing')
  const hints = [
    ...(records.some(({ is_served }) => is_served)
      ? [
          `an "opsbook serve" is running in ${printableLine(location)}, and executes the schedules of its runbooks`,
        ]
      : []),
    ...(isIdle ? ['no process executes them now: start "opsbook serve"'] : []),
    ...(kind === 'temporal' && isMissing
      ? ['"opsbook schedules apply" creates the missing schedules on the server']
      : []),
    ...(records.some(({ state }) => state === 'left')
      ? [
          `some of them are in no runbook${kind === 'temporal' ? '' : ' here'} any more: "opsbook schedules delete" deletes one`,
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
  const color = state === 'active' ? paint.green : paint.yellow
  const rows: readonly (readonly [label: string, texts: readonly string[]])[] = [
    ['times', rhythmTexts(record)],
    ['overlap', overlap === undefined || overlap === 'skip' ? [] : [overlapWords[overlap]]],
    ['paused', paused ? [pausedText(paused)] : []],
    ['problem', problem === undefined ? [] : [problem]],
    ['next', next.map((time) => inZone(new Date(time)))],
    ['last', last.map((fire) => fireText(fire, inZone))],
    ['missed', missed === 0 ? [] : [countText(missed, 'time')]],
    [
      'skipped',
      overlapped === 0 ? [] : [`${countText(overlapped, 'time')}, since the previous run was open`],
    ],
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
  missing: 'not applied yet',
  left: 'in no runbook here any more',
  broken: 'starts no runs: its inputs are invalid',
}

function rhythmTexts({ cron, every_ms: everyMs, timezone }: ScheduleRecord): readonly string[] {
  if (cron !== undefined) return [`${cron}, ${timezone}`]
  return everyMs === undefined ? [] : [`every ${formatDuration(everyMs)}`]
}

function pausedText({ by, since, comment }: SchedulePause): string {
  return [
    ...(by === undefined ? [] : [`by ${identityText(by)}`]),
    ...(since === undefined ? [] : [`since ${momentText(Date.parse(since))}`]),
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
