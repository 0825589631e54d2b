import { readChanges } from '../../acts/resume/index.ts'
import type { ActionDescription } from '../../core/action.ts'
import type { JsonSchema } from '../../core/json.ts'
import type { Plan } from '../../core/plan/index.ts'
import type { ResumeChanges } from '../../core/resume/index.ts'
import type { ServiceChoice } from '../../project/connections/index.ts'
import { CommandError } from '../../project/index.ts'
import { loadPlan } from '../../project/runbooks/index.ts'
import type { CommandContext } from '../shared/context.ts'
import type { FollowFlags } from '../shared/options.ts'
import { type InputSources, readInputs } from '../shared/read-inputs.ts'

/** The flags of `resume`, as the parser hands them over. */
export interface ResumeFlags extends ServiceChoice, FollowFlags, Pick<InputSources, 'input'> {
  readonly fromCopy?: boolean
  readonly from?: string
  readonly dryRun?: boolean
  readonly runbook?: string
  readonly keep?: readonly string[]
  readonly repeat?: readonly string[]
  readonly skip?: readonly string[]
}

/** Whether the flags change the run. */
export function changesSomething({ runbook, input, from, keep, repeat, skip }: ResumeFlags): boolean {
  return [runbook, input, from, keep, repeat, skip].some((flag) => flag !== undefined)
}

/** The changes that the flags ask for, for a run with this plan; undefined for none. */
export async function readResumeChanges(
  { runbook, input, ...wishes }: ResumeFlags,
  before: Plan,
  actions: readonly ActionDescription[],
  context: CommandContext,
): Promise<ResumeChanges | undefined> {
  const plan = runbook === undefined ? undefined : await loadPlan(runbook, actions, context)
  const inputs = (schema: JsonSchema | undefined) => readInputs({ input: input ?? [] }, schema, context.io)
  return readChanges({ ...wishes, inputs }, before, plan)
}

/** Flags that mean nothing to workers. */
const refused = { sandbox: '--sandbox', fromCopy: '--from-copy' } as const

/** Refuses flags about this machine, which workers cannot see. */
export function refuseLocal(options: Pick<ResumeFlags, keyof typeof refused>): void {
  const given = (Object.keys(refused) as (keyof typeof refused)[]).find((name) => options[name] !== undefined)
  if (given === undefined) return
  throw new CommandError(
    'usage',
    `${refused[given]} is for the embedded engine: workers cannot use this machine; nothing was changed`,
  )
}
