import type { CommandContext } from '../context.ts'
import { isSameName } from '../runbook-files/find-runbook.ts'
import { nameOfRunbook } from '../runbook-files/name-of-runbook.ts'
import type { OpenSchedules } from './open-schedules.ts'

/**
 * The id of a schedule that was named by it, or as the runbook can be named everywhere else: by its file, with hyphens or
 * underscores. `NAME.1` is the first one, as `NAME` is. One that is not known is taken as it was given.
 */
export async function findSchedule(
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
