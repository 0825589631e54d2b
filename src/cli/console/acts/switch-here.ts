import { ConsoleError, type ScheduleVerb, type SwitchHere } from '../../../console/server/index.ts'
import { type Identity, identityText } from '../../../core/record/index.ts'
import type { ScheduleRecord } from '../../../core/triggers/index.ts'
import type { TriggerPause } from '../../../engine/index.ts'
import { scheduleVerbs } from '../../schedules/change.ts'
import { readSchedulesDocument } from '../../schedules/index.ts'
import { withSchedules } from '../../schedules/open-schedules.ts'
import { CommandError } from '../../shared/command-error.ts'
import type { CommandContext } from '../../shared/context.ts'
import { exitCodes } from '../../shared/exit-codes.ts'
import type { EngineFlags } from '../../shared/options.ts'
import { readWho } from '../../shared/read-who.ts'
import { changePause } from '../../triggers/index.ts'

interface Surroundings {
  readonly context: CommandContext
  /** The flags that find the engine again. */
  readonly flags: EngineFlags
}

/** Pauses or resumes all automatic starts as `opsbook triggers` does, if they stand as they were shown. */
export async function setTriggersHere(
  kind: 'pause' | 'unpause',
  { shown, comment }: SwitchHere,
  by: Identity,
  { context, flags }: Surroundings,
): Promise<object> {
  const { paused } = await changePause(context, kind, flags, {
    who: { ...saidBy(comment), by },
    check(before) {
      if (shown === stateWord(before)) return
      throw changed(`automatic starts were ${pauseText(before)} since they were shown`, {
        paused: before ?? null,
      })
    },
  })
  return { paused: paused ?? null }
}

/** Changes a schedule as `opsbook schedules` does, if it stands as it was shown. */
export function changeScheduleHere(
  { id, verb }: { readonly id: string; readonly verb: ScheduleVerb },
  { shown, comment }: SwitchHere,
  by: Identity,
  { context, flags }: Surroundings,
): Promise<object> {
  return withSchedules(context, { ...flags, output: 'json' }, async (open) => {
    const { schedules } = await readSchedulesDocument(open)
    const schedule = schedules.find((one) => one.id === id)
    if (schedule === undefined)
      throw new CommandError(exitCodes.usage, `there is no schedule "${id}"`, {
        code: 'ScheduleNotFound',
        hints: ['"opsbook schedules" lists them'],
      })
    refuseChanged(schedule, verb, shown)
    return (await scheduleVerbs[verb](open, id, { ...saidBy(comment), by })).document
  })
}

function refuseChanged(schedule: ScheduleRecord, verb: ScheduleVerb, shown: string): void {
  const { id, last, paused } = schedule
  const now = verb === 'trigger' ? (last[0]?.at ?? 'never') : stateWord(paused)
  if (shown === now) return
  const since =
    verb === 'trigger'
      ? `${id} was started since it was shown`
      : `${id} was ${pauseText(paused)} since it was shown`
  throw changed(since, { schedule })
}

/** The server of Temporal does not keep since when a schedule is paused. */
function stateWord(pause: Partial<TriggerPause> | undefined): string {
  return pause === undefined ? 'active' : (pause.since ?? 'paused')
}

function pauseText(pause: Partial<TriggerPause> | undefined): string {
  if (pause === undefined) return 'unpaused'
  return pause.by === undefined ? 'paused' : `paused by ${identityText(pause.by)}`
}

function changed(detail: string, more: object): ConsoleError {
  return new ConsoleError({ status: 409, code: 'InvalidInput', detail, more })
}

function saidBy(comment: string | undefined): ReturnType<typeof readWho> {
  return readWho(comment === undefined ? {} : { comment })
}
