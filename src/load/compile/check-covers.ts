import { isWrite } from '../../core/approval/index.ts'
import { isJsonObject, type JsonPath, valueAt } from '../../core/json.ts'
import { everyStep, type Plan, type StepPlan } from '../../core/plan/index.ts'
import { suggest } from '../../core/text/index.ts'
import { isUnknownYet, unreadableText } from '../yaml/findings.ts'
import type { CompileContext } from './context.ts'

/** Checks what each `core/approve` says that a yes covers: writes that come after it, each by the id of a step. */
export function checkCovers(context: CompileContext, plan: Pick<Plan, 'steps' | 'finally'>): void {
  const { source, document, index } = context
  for (const { path } of index.values()) {
    const step = valueAt(document, path)
    if (!isJsonObject(step) || step['uses'] !== 'core/approve' || !isJsonObject(step['with'])) continue
    const at = [...path, 'with', 'covers']
    const { covers } = step['with']
    if (typeof covers === 'string' && isUnknownYet(covers)) refuseExpression(context, at)
    if (!Array.isArray(covers)) continue
    for (const [position, id] of covers.entries()) {
      if (typeof id !== 'string') continue
      const place = [...at, position]
      if (isUnknownYet(id)) {
        refuseExpression(context, place)
        continue
      }
      const named = index.get(id)
      if (!named) {
        const hint = id === 'any' ? 'without a list: covers: any' : suggest(id, idsAfter(context, path))
        source.add('UNKNOWN_STEP', place, `there is no step "${id}"`, hint)
        continue
      }
      const problem =
        placeProblem(context, path, named.path) ?? (mayWrite(plan, id) ? undefined : 'makes no write')
      if (problem !== undefined) source.add('CANNOT_COVER', place, `the step "${id}" ${problem}`)
    }
  }
}

/** Refuses an expression. What could not be read has a finding already. */
function refuseExpression({ source, document }: CompileContext, at: JsonPath): void {
  if (valueAt(document, at) === unreadableText) return
  const message = 'what a yes covers is a part of the plan, so it is written out'
  source.add('EXPRESSION_NOT_ALLOWED', at, message, 'ids of steps, or any')
}

function idsAfter(context: CompileContext, asking: JsonPath): readonly string[] {
  return [...context.index].flatMap(([id, { path }]) => (placeProblem(context, asking, path) ? [] : [id]))
}

/** Why a step at this place cannot be covered by that question. Undefined: it comes after it. */
function placeProblem({ document }: CompileContext, asking: JsonPath, named: JsonPath): string | undefined {
  const common = asking.findIndex((part, at) => named[at] !== part)
  if (common < 0) return asking.length === named.length ? 'is the question itself' : 'is part of the question'
  const rest = named.slice(common)
  // A whole step around the question begins before it.
  if (rest.length === 0) return 'begins before the question'
  if (rest.includes('catch') || rest.includes('finally') || isRepair(named, common))
    return 'repairs or cleans up, which waits for no person'
  const list = asking.slice(0, common).findLast((part) => typeof part === 'string')
  if (list === 'parallel' || list === 'choose') return 'is in another branch'
  if (Number(rest[0]) < Number(asking[common])) return 'comes before the question'
  const leaves = asking.some((part, at) => {
    if (at < common || typeof part !== 'number') return false
    const around = valueAt(document, asking.slice(0, at + 1))
    const isInner = at + 1 < asking.length && isJsonObject(around)
    const isBranch = asking[at - 1] === 'parallel'
    return isBranch || (isInner && (around['for-each'] !== undefined || around['repeat'] !== undefined))
  })
  return leaves ? 'comes after the loop or the branch that asks' : undefined
}

function isRepair(named: JsonPath, common: number): boolean {
  const key = named[common]
  return key === 'catch' || key === 'finally'
}

function mayWrite(plan: Pick<Plan, 'steps' | 'finally'>, id: string): boolean {
  const step = everyStep(plan as Plan).find((one) => one.id === id)
  return step === undefined || stepsIn(step).some(writes)
}

function stepsIn(step: StepPlan): readonly StepPlan[] {
  return everyStep({ steps: [step] } as unknown as Plan)
}

/** What a child runbook does is not looked at: it may write. */
function writes(step: StepPlan): boolean {
  return step.kind === 'uses' && (step.uses.runbook !== undefined || isWrite(step.uses.action))
}
