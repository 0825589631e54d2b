import { pauseWord, type ScheduleRecord, startsWord } from '../../core/triggers/index.ts'
import type { ScheduleChanged } from '../../documents/index.ts'
import { isServed } from '../../engine/embedded/index.ts'
import { CommandError } from '../../project/index.ts'
import { refusedWith } from '../outdated.ts'
import type { Who } from '../read-who.ts'
import { refuseOtherProject } from '../start/index.ts'
import type { OpenSchedules } from './open-schedules.ts'
import { readSchedules } from './read-schedules.ts'

/** What is done to one schedule. */
export type ScheduleVerb = 'trigger' | 'pause' | 'unpause' | 'delete'

/** An act on one schedule. */
export interface ScheduleAct extends Who {
  readonly id: string
  readonly verb: ScheduleVerb
  /** How the schedule stood when it was shown, by its word. */
  readonly shown?: string
}

/** Changes one schedule, or starts a run of it. Throws `Outdated` where it does not stand as it was shown. */
export async function changeSchedule(act: ScheduleAct, open: OpenSchedules): Promise<ScheduleChanged> {
  const { id, verb, shown } = act
  if (shown !== undefined && (await find(id, open)) === undefined)
    throw new CommandError('usage', `there is no schedule "${id}"`, {
      code: 'ScheduleNotFound',
      hints: ['"opsbook schedules" lists them'],
    })
  return refusedWith(shown, change(act, open), async () => {
    const schedule = await find(id, open)
    const { paused, last = [] } = schedule ?? {}
    return { word: verb === 'trigger' ? startsWord(last) : pauseWord(paused), now: { schedule } }
  })
}

async function find(id: string, open: OpenSchedules): Promise<ScheduleRecord | undefined> {
  return (await readSchedules(open)).schedules.find((one) => one.id === id)
}

async function change(
  { id, verb, shown, ...who }: ScheduleAct,
  { book, dataDir, project, entries }: OpenSchedules,
): Promise<ScheduleChanged> {
  switch (verb) {
    case 'trigger':
      if (book.kind === 'embedded' && entries.some((entry) => entry.id === id)) {
        if (!isServed(dataDir)) throw notServed(id)
        refuseOtherProject({ dataDir, project })
      }
      return { schedule: id, run_id: await book.trigger(id, who.by, shown) }
    case 'pause':
      await book.pause(id, { ...who, since: new Date().toISOString() }, shown)
      return { schedule: id, state: 'paused' }
    case 'unpause':
      await book.pause(id, undefined, shown)
      return { schedule: id, state: 'active' }
    case 'delete':
      await book.remove(id)
      return { schedule: id, state: 'deleted' }
  }
}

function notServed(id: string): CommandError {
  return new CommandError(
    'environment',
    `no process would execute ${id}: no "opsbook serve" is running here`,
    {
      hints: ['"opsbook serve" executes it', `"opsbook run ${id.split('.')[0]}" runs the runbook directly`],
    },
  )
}
