/** `opsbook schedules trigger`, `pause`, `unpause` and `delete`. */

import type { ScheduleChanged } from '../../documents/index.ts'
import { isServed } from '../../engine/embedded/index.ts'
import { CommandError } from '../../project/index.ts'
import { isSameName } from '../../project/runbook-files/index.ts'
import { nameOfRunbook } from '../../project/runbooks/index.ts'
import { answerDone, type CommandContext, type Done } from '../shared/context.ts'
import { type ExitCode, exitCodes } from '../shared/exit-codes.ts'
import { readWho, type WhoFlags } from '../shared/read-who.ts'

import { refuseOtherProject } from '../start/index.ts'
import { type OpenSchedules, type SchedulesFlags, withSchedules } from './open-schedules.ts'

/** The operations on one schedule. */
export type ScheduleVerb = 'trigger' | 'pause' | 'unpause' | 'delete'

/** The flags of commands that change one schedule. */
export interface ChangeFlags extends SchedulesFlags, WhoFlags {}

/** Changes one schedule, or starts a run of it. */
export function changeSchedule(
  context: CommandContext,
  verb: ScheduleVerb,
  given: string,
  flags: ChangeFlags,
): Promise<ExitCode> {
  const who = readWho(flags)
  return withSchedules(context, flags, async (schedules) => {
    const id = await findSchedule(given, schedules, context)
    answerDone(context, flags, await scheduleVerbs[verb](schedules, id, who))
    return exitCodes.succeeded
  })
}

/** `shown`: how the schedule stood when the user saw it, by its word. */
type Work = (
  schedules: OpenSchedules,
  id: string,
  who: ReturnType<typeof readWho>,
  shown?: string,
) => Promise<Done<ScheduleChanged>>

/** What the commands do to one schedule, by its id. */
export const scheduleVerbs: Readonly<Record<ScheduleVerb, Work>> = {
  async trigger({ book, dataDir, project, entries }, id, { by }, shown) {
    if (book.kind === 'embedded' && entries.some((entry) => entry.id === id)) {
      if (!isServed(dataDir)) throw notServed(id)
      refuseOtherProject({ dataDir, project })
    }
    const runId = await book.trigger(id, by, shown)
    return { document: { schedule: id, run_id: runId }, text: runId, next: `watch ${runId}` }
  },
  async pause({ book }, id, who, shown) {
    await book.pause(id, { ...who, since: new Date().toISOString() }, shown)
    return {
      document: { schedule: id, state: 'paused' },
      text: `${id} is paused: it starts no runs`,
      next: `schedules unpause ${id}`,
    }
  },
  async unpause({ book }, id, _who, shown) {
    await book.pause(id, undefined, shown)
    return {
      document: { schedule: id, state: 'active' },
      text: `${id} is active again, from its next time on`,
    }
  },
  async delete({ book, entries }, id) {
    await book.remove(id)
    const isNamed = entries.some((entry) => entry.id === id)
    const back = book.kind === 'embedded' ? 'the next "opsbook serve"' : '"opsbook schedules apply"'
    const text = isNamed
      ? `${id} is deleted; ${back} creates it again, since a runbook has it`
      : `${id} is deleted`
    return { document: { schedule: id, state: 'deleted' }, text }
  },
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

/**
 * Finds the id of a schedule by its id, or by the name or file of its runbook. `NAME.1` is the first schedule, like `NAME`.
 * An unknown name is returned unchanged.
 */
async function findSchedule(
  given: string,
  { entries, book }: Pick<OpenSchedules, 'entries' | 'book'>,
  context: CommandContext,
): Promise<string> {
  const named = entries.map(({ id }) => id)
  if (named.includes(given)) return given
  const known = [...named, ...(await book.listSchedules()).map(({ id }) => id)]
  const [, runbook = '', number = ''] = /^(.*?)(\.\d+)?$/s.exec(given) ?? []
  const idOf = (name: string): string => (number === '.1' ? name : `${name}${number}`)
  const fits = (name: string) => known.find((id) => id === given || isSameName(id, idOf(name)))
  return fits(runbook) ?? fits((await nameOfRunbook(runbook, context)).name) ?? given
}
