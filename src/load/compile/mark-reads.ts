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
  return { ...plan, ...markBlock(plan, { of: reads, counts: countReads(references) }) }
}

/** What is read of each step, and how often in all. */
interface Marks {
  readonly of: Reads
  readonly counts: Counts
}

/** How often the outputs of each step are read. */
type Counts = ReadonlyMap<string, number>

function countReads(references: readonly Reference[]): Counts {
  const counts = new Map<string, number>()
  for (const [root, id = '*', part = 'outputs'] of references) {
    if (root !== 'steps' || part !== 'outputs') continue
    counts.set(String(id), (counts.get(String(id)) ?? 0) + 1)
  }
  return counts
}

/** The step of a list after which nothing reads the outputs of another one, where all that reads them is in the list. */
function findLastReaders(steps: readonly StepPlan[], { counts }: Marks): ReadonlyMap<string, string> {
  const last = new Map<string, string>()
  if (counts.has('*')) return last
  const inside = new Map<string, number>()
  for (const step of steps) {
    for (const [id, count] of countReads(ofStep(step))) {
      inside.set(id, (inside.get(id) ?? 0) + count)
      last.set(id, step.id)
    }
  }
  for (const [id, count] of inside) if (count !== counts.get(id)) last.delete(id)
  return last
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
>(block: T, marks: Marks): T {
  const markAll = (steps: readonly StepPlan[]): readonly StepPlan[] => markSteps(steps, marks)
  return {
    ...block,
    ...(block.steps && { steps: markAll(block.steps) }),
    ...(block.catch && { catch: block.catch.map((entry) => ({ ...entry, steps: markAll(entry.steps) })) }),
    ...(block.finally && { finally: markAll(block.finally) }),
  }
}

function markSteps(steps: readonly StepPlan[], marks: Marks): readonly StepPlan[] {
  const last = findLastReaders(steps, marks)
  return steps.map((step) => {
    const lastReader = last.get(step.id)
    return { ...markStep(step, marks), ...(lastReader === undefined ? {} : { lastReader }) }
  })
}

function markStep(step: StepPlan, marks: Marks): StepPlan {
  const { of: reads } = marks
  const fields = reads.get(step.id) ?? reads.get('*')
  const isRead = fields !== undefined
  const isWhole = reads.has('*') || fields?.has('*') === true
  const { forEach } = step
  const marked = {
    ...markBlock(step as StepPlan & { readonly steps?: readonly StepPlan[] }, marks),
    isRead,
    ...(forEach && (isWhole || fields?.has('items'))
      ? { forEach: { ...forEach, keepsItems: true as const } }
      : {}),
  }
  return marked.kind === 'parallel'
    ? { ...marked, branches: marked.branches.map((branch) => markStep(branch, marks)) }
    : marked
}
