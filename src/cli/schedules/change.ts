/** `opsbook schedules trigger`, `pause`, `unpause` and `delete`. */

import { isServed } from '../../engine/embedded/serve-lock.ts'
import { CommandError } from '../command-error.ts'
import type { ChangeFlags, ScheduleVerb } from '../commands/schedules.ts'
import type { CommandContext } from '../context.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { readWho } from '../read-who.ts'
import { refuseOtherProject } from '../start/refuse-other-project.ts'
import { type Done, tellDone } from '../terminal/tell-done.ts'
import { findSchedule } from './find-schedule.ts'
import { type OpenSchedules, withSchedules } from './open-schedules.ts'

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
    tellDone(context, flags, await verbs[verb](schedules, id, who))
    return exitCodes.succeeded
  })
}

type Work = (schedules: OpenSchedules, id: string, who: ReturnType<typeof readWho>) => Promise<Done>

const verbs: Readonly<Record<ScheduleVerb, Work>> = {
  async trigger({ book, dataDir, project }, id, { by }) {
    if (book.kind === 'embedded') {
      if (!isServed(dataDir)) throw nobodyServes(id)
      refuseOtherProject({ dataDir, project })
    }
    const runId = await book.trigger(id, by)
    return { document: { schedule: id, run_id: runId }, text: runId, next: `watch ${runId}` }
  },
  async pause({ book }, id, who) {
    await book.pause(id, { ...who, since: new Date().toISOString() })
    return {
      document: { schedule: id, state: 'paused' },
      text: `${id} starts nothing until it is unpaused`,
      next: `schedules unpause ${id}`,
    }
  },
  async unpause({ book }, id) {
    await book.pause(id, undefined)
    return { document: { schedule: id, state: 'active' }, text: `${id} starts again, from its next time on` }
  },
  async delete({ book, entries }, id) {
    await book.remove(id)
    const isNamed = entries.some((entry) => entry.id === id)
    const back = book.kind === 'embedded' ? 'the next "opsbook serve"' : '"opsbook schedules apply"'
    const text = isNamed
      ? `${id} is forgotten; ${back} brings it back, as a runbook names it`
      : `${id} is forgotten`
    return { document: { schedule: id, state: 'deleted' }, text }
  },
}

function nobodyServes(id: string): CommandError {
  return new CommandError(
    exitCodes.environment,
    `nobody would carry out the run of ${id}: no "opsbook serve" works here`,
    {
      hints: [
        '"opsbook serve" carries runs out',
        `"opsbook run ${id.split('.')[0]}" starts one and stays with it`,
      ],
    },
  )
}
