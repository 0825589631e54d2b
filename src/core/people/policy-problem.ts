import type { Template } from '../expressions/tree.ts'
import type { Plan, StepPlan } from '../plan.ts'
import { everyStep } from '../plan-walk.ts'
import type { AnswerPolicy } from './question.ts'
import type { People } from './vouch.ts'

/** Why no answer can fulfil a policy with these people. Undefined: some can. */
export function policyProblem(policy: AnswerPolicy, { groups = {}, trust = [] }: People): string | undefined {
  if (trust.length === 0)
    return 'it counts verified names only, and no name is verified: opsbook.yaml has no people: { trust: [system-user] }'
  const { groups: named, count = 1, 'not-starter': notStarter = false } = policy
  if (!named) return undefined
  const unknown = named.filter((name) => !Object.hasOwn(groups, name))
  const members = new Set(named.flatMap((name) => (Object.hasOwn(groups, name) ? (groups[name] ?? []) : [])))
  const missing = unknown.length === 0 ? '' : `; opsbook.yaml has no group ${unknown.join(', ')}`
  const list = named.join(', ')
  if (members.size === 0) return `nobody is in ${list}${missing}`
  if (members.size < count) return `${count} people must answer, and ${list} has ${members.size}${missing}`
  if (notStarter && members.size === count)
    return `${list} has ${members.size} of the ${count} people that must answer, and none can be the one who starts the run`
  return undefined
}

/** A question of a plan that no one can answer. */
export interface PolicyFinding {
  /** The id of the step that asks. */
  readonly step: string
  readonly message: string
}

/** The questions of a plan, and of the runbooks that it runs, that no one can answer with these people. */
export function policyFindings(plan: Plan, people: People): readonly PolicyFinding[] {
  return everyStep(plan).flatMap((step) => {
    const policy = policyOf(step)
    const message = policy && policyProblem(policy, people)
    return message === undefined ? [] : [{ step: step.id, message }]
  })
}

/** Who may answer the question of a step: the loader has checked it, and it is written out. */
function policyOf(step: StepPlan): AnswerPolicy | undefined {
  if (step.kind !== 'uses' || !['core/approve', 'core/ask'].includes(step.uses.action.name)) return undefined
  return literalAt(step.uses.with, 'from') as AnswerPolicy | undefined
}

function literalAt(template: Template, key: string): unknown {
  if (template.kind === 'literal') return (template.value as Readonly<Record<string, unknown>>)[key]
  const [, value] = (template.kind === 'object' ? template.entries : []).find(([name]) => name === key) ?? []
  return value?.kind === 'literal' ? value.value : undefined
}
