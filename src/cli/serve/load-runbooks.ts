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
  const { loaded, refused } = await loadEach(files, actions, context)
  // Whoever mends them wants to see all of them.
  const [first, ...more] = refused.map(({ error }) => error)
  if (first !== undefined) throw more.length === 0 ? first : joined([first, ...more])
  return loaded
}

/** Runbooks, and those that cannot be carried out as they stand. */
export interface LoadedRunbooks {
  readonly loaded: readonly TriggeredRunbook[]
  readonly refused: readonly { readonly file: string; readonly error: CommandError }[]
}

/** Loads each of the files by itself: what is wrong with one is no matter of the others. */
export async function loadEach(
  files: readonly string[],
  actions: readonly ActionDescription[],
  context: CommandContext,
): Promise<LoadedRunbooks> {
  const loaded = new Map<string, TriggeredRunbook>()
  const refused: { file: string; error: CommandError }[] = []
  for (const file of new Set(files)) {
    try {
      const runbook = await loadFile(file, actions, context)
      const twin = loaded.get(runbook.plan.name)
      if (twin) throw twins(twin, runbook)
      loaded.set(runbook.plan.name, runbook)
    } catch (error) {
      if (!(error instanceof CommandError)) throw error
      refused.push({ file, error })
    }
  }
  return { loaded: [...loaded.values()], refused }
}

/** What is wrong with several files, the findings first. */
function joined(refused: readonly CommandError[]): CommandError {
  const findings = refused.flatMap(({ details }) => (details === undefined ? [] : [details]))
  return new CommandError(exitCodes.usage, refused.map(({ message }) => message).join('\n'), {
    ...(findings.length === 0 ? {} : { details: findings.join('\n') }),
  })
}

/** What was started, and may be again, is known by the name of the runbook. */
function twins(one: TriggeredRunbook, other: TriggeredRunbook): CommandError {
  const message = `${one.file} and ${other.file} are both called ${other.plan.name}`
  return new CommandError(exitCodes.usage, message, { hints: ['give each runbook a name of its own'] })
}
