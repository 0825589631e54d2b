import type { ActionDescription } from '../../core/action.ts'
import type { TriggeredRunbook } from '../../triggers/offers/runbook.ts'
import { CommandError } from '../command-error.ts'
import type { CommandContext } from '../context.ts'
import { exitCodes } from '../exit-codes.ts'
import { loadFile } from '../run/load-plan.ts'
import { findRunbook } from '../runbook-files/find-runbook.ts'
import { listOwnRunbooks } from '../runbook-files/list-runbooks.ts'

/** The runbooks that are named, else all of the folder `runbooks` here. Those that are not valid end the command. */
export async function loadRunbooks(
  named: readonly string[],
  actions: readonly ActionDescription[],
  context: CommandContext,
): Promise<readonly TriggeredRunbook[]> {
  const files =
    named.length > 0
      ? await Promise.all(named.map((name) => findRunbook(name, context.io)))
      : (await listOwnRunbooks(context.io)).map(({ file }) => file)
  const loaded: TriggeredRunbook[] = []
  const refused: CommandError[] = []
  for (const file of new Set(files)) {
    try {
      loaded.push(await loadFile(file, actions, context))
    } catch (error) {
      // Whoever mends them wants to see all of them.
      if (!(error instanceof CommandError)) throw error
      refused.push(error)
    }
  }
  const [first, ...more] = refused
  if (first !== undefined) throw more.length === 0 ? first : joined(refused)
  refuseTwins(loaded)
  return loaded
}

/** What is wrong with several files, the findings first. */
function joined(refused: readonly CommandError[]): CommandError {
  const findings = refused.flatMap(({ details }) => (details === undefined ? [] : [details]))
  return new CommandError(exitCodes.usage, refused.map(({ message }) => message).join('\n'), {
    ...(findings.length === 0 ? {} : { details: findings.join('\n') }),
  })
}

/** What was started, and may be again, is known by the name of the runbook. */
function refuseTwins(runbooks: readonly TriggeredRunbook[]): void {
  const seen = new Map<string, string>()
  for (const { plan, file } of runbooks) {
    const other = seen.get(plan.name)
    if (other !== undefined)
      throw new CommandError(exitCodes.usage, `${other} and ${file} are both called ${plan.name}`, {
        hints: ['give each runbook a name of its own'],
      })
    seen.set(plan.name, file)
  }
}
