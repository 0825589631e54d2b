/** `opsbook actions`: what `uses` can name. */
import type { ActionDescription } from '../../core/action.ts'
import { nearest } from '../../core/nearest.ts'
import { CommandError } from '../command-error.ts'
import type { ActionsOptions } from '../commands/actions.ts'
import { answer, answerJson, type CommandContext } from '../context.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { loadDescriptions } from '../load-actions.ts'
import { columns } from '../terminal/columns.ts'
import { actionJson } from './action-json.ts'
import { describeAction } from './describe-action.ts'
import { limitText } from './limit-text.ts'
import { limitOf } from './operation-facts.ts'
import { safetyWord } from './safety-text.ts'

/** Lists the actions, or shows one. */
export async function actions(
  context: CommandContext,
  name: string | undefined,
  { output }: ActionsOptions,
): Promise<ExitCode> {
  const all = await loadDescriptions(context.io)
  if (name === undefined) {
    if (output === 'json') answerJson(context, { actions: all.map(actionJson) })
    else answer(context, listLines(all, context))
    return exitCodes.succeeded
  }
  const action = findAction(name, all)
  if (output === 'json') answerJson(context, actionJson(action))
  else answer(context, describeAction(action, context.paint))
  return exitCodes.succeeded
}

/** The action of this name, or an error with the nearest one. */
export function findAction<A extends ActionDescription>(name: string, all: readonly A[]): A {
  const found = all.find((action) => action.name === name)
  if (found) return found
  const names = all.map((action) => action.name)
  // People remember the last part: "invoke", "catalog".
  const byPart = names.filter((candidate) => candidate.split('/').includes(name))
  const near = byPart.length === 1 ? byPart[0] : nearest(name, names)
  const list = byPart.length > 1 ? byPart : names
  throw new CommandError(exitCodes.usage, `there is no action "${name}"`, {
    hints: near === undefined ? [`known: ${list.join(', ')}`] : [`did you mean "${near}"?`],
  })
}

function listLines(all: readonly ActionDescription[], { paint }: CommandContext): readonly string[] {
  const rows = all.map((action) => {
    const limit = limitOf(action.name)
    return [action.name, safetyWord(action), limit === undefined ? '' : limitText(limit), action.summary]
  })
  const lines = columns([['ACTION', 'SAFETY', 'LIMITS', ''], ...rows], (cell, row, column) =>
    row === 0 || column === 2 ? paint.dim(cell) : column === 0 ? paint.bold(cell) : cell,
  )
  return [...lines, '', paint.dim('opsbook actions NAME shows arguments, outputs and an example step')]
}
