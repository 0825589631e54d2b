import { ConsoleError, type ConsoleScheduleVerb, type SwitchHere } from '../../../console/server/index.ts'
import type { Identity } from '../../../core/events.ts'
import { RunbookError } from '../../../core/run-error.ts'
import { pauseWord, type ScheduleRecord, startsWord } from '../../../core/triggers/index.ts'
import type { ScheduleChanged, TriggersSet } from '../../../documents/index.ts'
import { withEventStore } from '../../../project/engine/index.ts'
import { CommandError, type EngineFlags } from '../../../project/index.ts'
import { scheduleVerbs } from '../../schedules/change.ts'
import { readSchedulesDocument } from '../../schedules/index.ts'
import { withSchedules } from '../../schedules/open-schedules.ts'
import type { CommandContext } from '../../shared/context.ts'
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
): Promise<TriggersSet> {
  const change = { who: { ...saidBy(comment), by }, shown }
  const { paused = null } = await withFacts(shown, changePause(context, kind, flags, change), async () => {
    const now = await withEventStore(context, flags, (events) => events.readPause())
    return { word: pauseWord(now), more: { paused: now ?? null } }
  })
  return { paused }
}

/** Changes a schedule as `opsbook schedules` does, if it stands as it was shown. */
export function changeScheduleHere(
  { id, verb }: { readonly id: string; readonly verb: ConsoleScheduleVerb },
  { shown, comment }: SwitchHere,
  by: Identity,
  { context, flags }: Surroundings,
): Promise<ScheduleChanged> {
  return withSchedules(context, { ...flags, output: 'json' }, async (open) => {
    const find = async (): Promise<ScheduleRecord | undefined> =>
      (await readSchedulesDocument(open)).schedules.find((one) => one.id === id)
    if ((await find()) === undefined)
      throw new CommandError('usage', `there is no schedule "${id}"`, {
        code: 'ScheduleNotFound',
        hints: ['"opsbook schedules" lists them'],
      })
    const change = scheduleVerbs[verb](open, id, { ...saidBy(comment), by }, shown)
    const done = await withFacts(shown, change, async () => {
      const schedule = await find()
      const { paused, last = [] } = schedule ?? {}
      return { word: verb === 'trigger' ? startsWord(last) : pauseWord(paused), more: { schedule } }
    })
    return done.document
  })
}

interface Facts {
  readonly word: string
  readonly more: object
}

/** Where the engine refuses an act since it stands otherwise than shown, the refusal says how it stands now. */
async function withFacts<T>(shown: string, act: Promise<T>, readNow: () => Promise<Facts>): Promise<T> {
  try {
    return await act
  } catch (error) {
    if (!RunbookError.is(error) || error.code !== 'InvalidInput') throw error
    const { word, more } = await readNow()
    if (word === shown) throw error
    throw new ConsoleError({ status: 409, code: error.code, detail: error.message, more })
  }
}

function saidBy(comment: string | undefined): ReturnType<typeof readWho> {
  return readWho(comment === undefined ? {} : { comment })
}
