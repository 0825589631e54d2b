import { loadDescriptions } from '../actions/load-actions.ts'
import { CommandError } from '../command-error.ts'
import type { ProjectContext } from '../surroundings.ts'
import { loadRunbooks } from './load-runbooks.ts'

/** The recorded name of a runbook; if there is no valid runbook here, the given name and the problem. */
export async function nameOfRunbook(
  named: string,
  context: ProjectContext,
): Promise<{ readonly name: string; readonly problem?: CommandError }> {
  try {
    const [found] = await loadRunbooks([named], await loadDescriptions(context.io), context)
    return { name: found?.plan.name ?? named }
  } catch (problem) {
    if (!(problem instanceof CommandError)) throw problem
    return { name: named, problem }
  }
}
