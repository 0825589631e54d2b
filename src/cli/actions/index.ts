/** `opsbook actions`: the actions that `uses` can name. */

import type { ActionDescription } from '../../core/action.ts'
import { nearest } from '../../core/text/index.ts'
import { loadDescriptions } from '../../project/actions/index.ts'
import { CommandError } from '../../project/index.ts'
import { answer, answerJson, type CommandContext } from '../shared/context.ts'
import type { OutputFlags } from '../shared/options.ts'
import { columns } from '../shared/terminal/columns.ts'
import { describeAction, limitOf, limitText, operationFacts, safetyWord } from './describe-action.ts'

/** Lists the actions, or shows one. */
export async function actions(
  context: CommandContext,
  name: string | undefined,
  { output }: OutputFlags,
): Promise<void> {
  const all = await loadDescriptions(context.io)
  const action = name === undefined ? undefined : findAction(name, all)
  if (output === 'json') answerJson(context, action ? actionJson(action) : { actions: all.map(actionJson) })
  else answer(context, action ? describeAction(action, context.paint) : listLines(all, context))
}

/** Finds an action by its name. Throws with the nearest name when there is none. */
export function findAction<A extends ActionDescription>(name: string, all: readonly A[]): A {
  const found = all.find((action) => action.name === name)
  if (found) return found
  const names = all.map((action) => action.name)
  // People remember the last part: "invoke", "catalog".
  const byPart = names.filter((candidate) => candidate.split('/').includes(name))
  const near = byPart.length === 1 ? byPart[0] : nearest(name, names)
  const list = byPart.length > 1 ? byPart : names
  throw new CommandError('usage', `there is no action "${name}"`, {
    code: 'ActionNotFound',
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

/** The document of an action for `--output json`. */
function actionJson(action: ActionDescription): unknown {
  const facts = operationFacts(action.name)
  const { name, summary, safety, safetyBy, input, output, batch, errors = [], savesFile } = action
  return {
    name,
    summary,
    safety,
    ...(safetyBy === undefined
      ? {}
      : {
          safety_by: {
            argument: safetyBy.argument,
            by: safetyBy.by,
            values: safetyBy.values,
            left_out: safetyBy.leftOut,
          },
        }),
    local: action.isLocal === true,
    ...(facts === undefined
      ? {}
      : {
          permission: facts.permission,
          limits: {
            per: facts.limit.per,
            per_second: facts.limit.perSecond,
            per_minute: facts.limit.perMinute,
            ...(facts.limit.perDay === undefined ? {} : { per_day: facts.limit.perDay }),
          },
        }),
    ...(batch === undefined ? {} : { batch: { argument: batch.argument, size: batch.size } }),
    saves_file: savesFile === 'always',
    attempt_timeout_ms: action.defaultTimeoutMs,
    ...(action.minimumTimeoutMs === undefined ? {} : { minimum_attempt_timeout_ms: action.minimumTimeoutMs }),
    sensitive_input: action.sensitiveInput ?? [],
    secret_names: action.secretNames ?? [],
    sensitive_output: action.sensitiveOutput ?? [],
    errors,
    input,
    output,
  }
}
