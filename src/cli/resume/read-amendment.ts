import type { ActionDescription } from '../../core/action.ts'
import type { Amendment } from '../../engine/embedded/index.ts'
import type { ResumeFlags } from '../commands/resume.ts'
import type { CommandContext } from '../context.ts'
import { readInputs } from '../inputs/read-inputs.ts'
import { loadPlan } from '../run/load-plan.ts'

/** What the flags change of a run; undefined where they change nothing. */
export async function readAmendment(
  { runbook, input, from, keep, repeat, skip }: ResumeFlags,
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
  return {
    ...words,
    ...(runbook === undefined ? {} : { plan: await loadPlan(runbook, actions, context) }),
    ...(input === undefined ? {} : { inputs: await readInputs({ input }, context.io) }),
  }
}
