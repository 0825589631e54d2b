import type { Template } from '../expressions/tree.ts'
import type { Plan, StepPlan } from '../plan/plan.ts'
import { everyStep } from '../plan/plan-walk.ts'
import type { AnswerPolicy, People } from './question.ts'

/**
 * Why a policy cannot be fulfilled with these people: never, or not where one of them starts the run. Undefined: it
 * always can.
 */
export function policyProblem(policy: AnswerPolicy, people: People): string | undefined {
  if (people.logins === 'groups') return undefined
  const never = whyNever(policy, people)
  if (never !== undefined) return `no one can answer: ${never}`
  const { groups: named, count = 1, 'not-starter': notStarter = false } = policy
  const members = named && membersOf(named, people)
  if (!notStarter || members?.size !== count) return undefined
  const starters = [...members].join(' or ')
  return `if ${starters} starts the run, no one can answer: ${named?.join(', ')} then has ${count - 1} of the ${peopleText(count)} that must answer`
}

function whyNever({ groups: named, count = 1 }: AnswerPolicy, people: People): string | undefined {
  const { groups = {}, trust = [], logins } = people
  if (trust.length === 0 && logins === undefined)
    return 'it counts verified names only, and no name is verified: opsbook.yaml has no people: { trust: [system-user] }'
  if (!named) return undefined
  const unknown = named.filter((name) => !Object.hasOwn(groups, name))
  const members = membersOf(named, people)
  const missing = unknown.length === 0 ? '' : `; opsbook.yaml has no group ${unknown.join(', ')}`
  const list = named.join(', ')
  if (members.size === 0) return `${list} has no members${missing}`
  return members.size < count
    ? `${peopleText(count)} must answer, and ${list} has ${members.size}${missing}`
    : undefined
}

function membersOf(named: readonly string[], { groups = {} }: People): ReadonlySet<string> {
  return new Set(named.flatMap((name) => (Object.hasOwn(groups, name) ? (groups[name] ?? []) : [])))
}

function peopleText(count: number): string {
  return count === 1 ? '1 person' : `${count} people`
}

/** A question of a plan that cannot be answered, always or by who starts the run. */
export interface PolicyFinding {
  /** The id of the step that asks. */
  readonly step: string
  readonly message: string
}

/** The questions of a plan, and of the runbooks that it runs, that cannot be answered with these people. */
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
