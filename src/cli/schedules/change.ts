/** `opsbook schedules trigger`, `pause`, `unpause` and `delete`. */

import { readWho, type WhoFlags } from '../../acts/index.ts'
import {
  changeSchedule,
  type OpenSchedules,
  type ScheduleVerb,
  withSchedules,
} from '../../acts/schedules/index.ts'
import type { ScheduleChanged } from '../../documents/index.ts'
import { isSameName } from '../../project/runbook-files/index.ts'
import { nameOfRunbook } from '../../project/runbooks/index.ts'
import { answerDone, type CommandContext, type Done } from '../shared/context.ts'
import type { SchedulesFlags } from './index.ts'

/** The flags of commands that change one schedule. */
export interface ChangeFlags extends SchedulesFlags, WhoFlags {}

/** Changes one schedule, or starts a run of it. */
export function changeNamedSchedule(
  context: CommandContext,
  verb: ScheduleVerb,
  given: string,
  flags: ChangeFlags,
): Promise<void> {
  const who = readWho(flags)
  return withSchedules(context, flags, async (schedules) => {
    const id = await findSchedule(given, schedules, context)
    const document = await changeSchedule({ id, verb, ...who }, schedules)
    answerDone(context, flags, { document, ...wordsOf(document, schedules) })
  })
}

function wordsOf(
  { schedule: id, run_id, state }: ScheduleChanged,
  { book, entries }: OpenSchedules,
): Pick<Done, 'text' | 'next'> {
  if (run_id !== undefined) return { text: run_id, next: `watch ${run_id}` }
  if (state === 'paused')
    return { text: `${id} is paused: it starts no runs`, next: `schedules unpause ${id}` }
  if (state === 'active') return { text: `${id} is active again, from its next time on` }
  const isNamed = entries.some((entry) => entry.id === id)
  const back = book.kind === 'embedded' ? 'the next "opsbook serve"' : '"opsbook schedules apply"'
  return {
    text: isNamed ? `${id} is deleted; ${back} creates it again, since a runbook has it` : `${id} is deleted`,
  }
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
