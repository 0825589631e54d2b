import type { ActionDescription } from '../../core/action.ts'
import type { Plan } from '../../core/plan.ts'
import type { Amendment } from '../../engine/embedded/index.ts'
import { CommandError } from '../command-error.ts'
import type { ResumeFlags } from '../commands/resume.ts'
import type { CommandContext } from '../context.ts'
import { exitCodes } from '../exit-codes.ts'
import { readInputs } from '../inputs/read-inputs.ts'
import { loadPlan } from '../run/load-plan.ts'

/** What the flags change of a run that has this plan; undefined where they change nothing. */
export async function readAmendment(
  { runbook, input, from, keep, repeat, skip, dryRun }: ResumeFlags,
  before: Plan,
  actions: readonly ActionDescription[],
  context: CommandContext,
): Promise<Amendment | undefined> {
  const words = {
    ...(from === undefined ? {} : { from }),
    ...(keep === undefined ? {} : { keep }),
    ...(repeat === undefined ? {} : { repeat }),
    ...(skip === undefined ? {} : { skip }),
  }
  if (runbook === undefined && input === undefined && Object.keys(words).length === 0) {
    if (dryRun) throw nothingToShow()
    return undefined
  }
  const plan = runbook === undefined ? undefined : await loadPlan(runbook, actions, context)
  const { inputs: schema } = plan ?? before
  return {
    ...words,
    ...(plan ? { plan } : {}),
    ...(input === undefined ? {} : { inputs: await readInputs({ input }, schema, context.io) }),
  }
}

function nothingToShow(): CommandError {
  return new CommandError(
    exitCodes.usage,
    '--dry-run shows what a change would do, and no change was given',
    { hints: ['such as --runbook FILE, --input name=value, --from STEP, --repeat STEP'] },
  )
}
