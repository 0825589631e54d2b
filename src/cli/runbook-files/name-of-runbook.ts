import { CommandError } from '../command-error.ts'
import type { CommandContext } from '../context.ts'
import { loadDescriptions } from '../load-actions.ts'
import { loadRunbooks } from '../serve/load-runbooks.ts'

/** The name that a runbook has on record, or why there is none here; then it is taken as it was given. */
export async function nameOfRunbook(
  named: string,
  context: CommandContext,
): Promise<{ readonly name: string; readonly problem?: CommandError }> {
  try {
    const [found] = await loadRunbooks([named], await loadDescriptions(context.io), context)
    return { name: found?.plan.name ?? named }
  } catch (problem) {
    if (!(problem instanceof CommandError)) throw problem
    return { name: named, problem }
  }
}
