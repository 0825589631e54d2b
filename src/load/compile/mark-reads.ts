import type { Expression, Template } from '../../core/expressions/tree.ts'
import { type Reference, referencesIn, referencesOf } from '../../core/forecast/references.ts'
import type { CatchPlan, Plan, StepPlan } from '../../core/plan.ts'

type Steps = Pick<Plan, 'steps' | 'catch' | 'finally' | 'outputs'>

/** What is read of the outputs of each step: names of fields, and `*` for all of them. */
type Reads = ReadonlyMap<string, ReadonlySet<string>>

/** Writes into each step whether anything reads its outputs: an engine drops what nobody will ask for. */
export function markReads<T extends Steps>(plan: T): T {
  const references = [...ofBlock(plan), ...ofTemplate(plan.outputs)]
  const reads = readsIn(references)
  return { ...plan, ...markBlock(plan, reads) }
}

function readsIn(references: readonly Reference[]): Reads {
  const reads = new Map<string, Set<string>>()
  for (const [root, id = '*', part = 'outputs', field = '*'] of references) {
    if (root !== 'steps' || part !== 'outputs') continue
    const fields = reads.get(String(id)) ?? new Set()
    reads.set(String(id), fields.add(String(field)))
  }
  return reads
}

function ofTemplate(template: Template | undefined): readonly Reference[] {
  return template === undefined ? [] : referencesOf(template)
}

function ofExpression(expression: Expression | undefined): readonly Reference[] {
  return expression === undefined ? [] : referencesIn(expression.tree)
}

function ofBlock(block: {
  readonly steps?: readonly StepPlan[]
  readonly catch?: readonly CatchPlan[]
  readonly finally?: readonly StepPlan[]
}): readonly Reference[] {
  const caught = block.catch?.flatMap(({ steps }) => steps) ?? []
  return [...(block.steps ?? []), ...caught, ...(block.finally ?? [])].flatMap(ofStep)
}

function ofStep(step: StepPlan): readonly Reference[] {
  const own = [
    ...ofExpression(step.if),
    ...ofTemplate(step.forEach?.items),
    ...ofTemplate(step.outputs),
    ...ofBlock({ ...(step.catch && { catch: step.catch }) }),
  ]
  if (step.kind === 'block')
    return [...own, ...ofBlock({ steps: step.steps, ...(step.finally && { finally: step.finally }) })]
  if (step.kind === 'parallel') return [...own, ...ofBlock({ steps: step.branches })]
  const { uses } = step
  return [
    ...own,
    ...ofTemplate(uses.with),
    ...ofTemplate(uses.saveAs),
    ...(uses.expect ?? []).flatMap(({ that, message }) => [...ofExpression(that), ...ofTemplate(message)]),
    ...ofExpression(uses.repeat?.until),
  ]
}

function markBlock<
  T extends {
    readonly steps?: readonly StepPlan[]
    readonly catch?: readonly CatchPlan[]
    readonly finally?: readonly StepPlan[]
  },
>(block: T, reads: Reads): T {
  const mark = (step: StepPlan): StepPlan => markStep(step, reads)
  return {
    ...block,
    ...(block.steps && { steps: block.steps.map(mark) }),
    ...(block.catch && { catch: block.catch.map((entry) => ({ ...entry, steps: entry.steps.map(mark) })) }),
    ...(block.finally && { finally: block.finally.map(mark) }),
  }
}

function markStep(step: StepPlan, reads: Reads): StepPlan {
  const fields = reads.get(step.id) ?? reads.get('*')
  const isRead = fields !== undefined
  const isWhole = reads.has('*') || fields?.has('*') === true
  const { forEach } = step
  const marked = {
    ...markBlock(step as StepPlan & { readonly steps?: readonly StepPlan[] }, reads),
    isRead,
    ...(forEach && (isWhole || fields?.has('items'))
      ? { forEach: { ...forEach, keepsItems: true as const } }
      : {}),
  }
  return marked.kind === 'parallel'
    ? { ...marked, branches: marked.branches.map((branch) => markStep(branch, reads)) }
    : marked
}
