import type { ActionDescription } from '../../core/action.ts'
import type { Plan } from '../../core/plan.ts'
import type { Amendment } from '../../engine/embedded/index.ts'
import type { ResumeFlags } from '../commands/resume.ts'
import type { CommandContext } from '../context.ts'
import { readInputs } from '../inputs/read-inputs.ts'
import { loadPlan } from '../run/load-plan.ts'

/** Whether the flags change anything of the run. */
export function changesSomething({ runbook, input, from, keep, repeat, skip }: ResumeFlags): boolean {
  return [runbook, input, from, keep, repeat, skip].some((flag) => flag !== undefined)
}

/** What the flags change of a run that has this plan; undefined where they change nothing. */
export async function readAmendment(
  { runbook, input, from, keep, repeat, skip }: ResumeFlags,
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
  if (runbook === undefined && input === undefined && Object.keys(words).length === 0) return undefined
  const plan = runbook === undefined ? undefined : await loadPlan(runbook, actions, context)
  const { inputs: schema } = plan ?? before
  return {
    ...words,
    ...(plan ? { plan } : {}),
    ...(input === undefined ? {} : { inputs: await readInputs({ input }, schema, context.io) }),
  }
}
