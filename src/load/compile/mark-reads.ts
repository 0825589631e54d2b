import {
  type Expression,
  type Reference,
  referencesOf,
  referencesIn as referencesOfTree,
  type Template,
} from '../../core/expressions/index.ts'
import {
  caughtSteps,
  changeCaughtSteps,
  changeInnerSteps,
  innerSteps,
  type Plan,
  type StepPlan,
  stepsOf,
  type TurnsPlan,
  type UsesPlan,
} from '../../core/plan/index.ts'

type Steps = Pick<Plan, 'steps' | 'finally' | 'outputs'>

/** What is read of the outputs of each step: names of fields, and `*` for all of them. */
type Reads = ReadonlyMap<string, ReadonlySet<string>>

/** Marks each step whose outputs an expression reads: an engine drops all other outputs. */
export function markReads<T extends Steps>(plan: T): T {
  const references = referencesInSteps(plan)
  const marks = { of: readsIn(references), counts: countReads(references) }
  return {
    ...plan,
    steps: markSteps(plan.steps, marks),
    ...(plan.finally && { finally: markSteps(plan.finally, marks) }),
    ...(plan.finally?.flatMap(ofStep).some(readsOfRun('took_seconds')) ? { measuresTime: true } : {}),
    ...(references.some(readsOfRun('url')) ? { readsUrl: true } : {}),
  }
}

/** Every path that an expression of a step, or of the outputs, reads. */
export function referencesInSteps(plan: Steps): readonly Reference[] {
  return [...stepsOf(plan).flatMap(ofStep), ...ofTemplate(plan.outputs)]
}

function readsOfRun(name: string): (reference: Reference) => boolean {
  return ([root, field = name]) => root === 'run' && field === name
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
  return expression === undefined ? [] : referencesOfTree(expression.tree)
}

function ofStep(step: StepPlan): readonly Reference[] {
  const inside = [...innerSteps(step), ...caughtSteps(step)].flatMap(ofStep)
  const conditions = step.catch?.flatMap(({ when }) => ofExpression(when)) ?? []
  const own = [...ofExpression(step.if), ...ofTemplate(step.forEach?.items), ...ofTemplate(step.outputs)]
  return [...own, ...inside, ...conditions, ...ofBody(step)]
}

function ofBody(step: StepPlan): readonly Reference[] {
  if (step.kind === 'uses') return ofUses(step.uses)
  if (step.kind === 'block') return step.turns ? ofTurns(step.turns) : []
  return step.kind === 'choose' ? step.choices.flatMap(({ when }) => ofExpression(when)) : []
}

function ofTurns({ with: given, next, until, collect }: TurnsPlan): readonly Reference[] {
  return [...ofTemplate(given), ...ofTemplate(next), ...ofExpression(until), ...ofTemplate(collect)]
}

function ofUses(uses: UsesPlan): readonly Reference[] {
  return [
    ...ofTemplate(uses.with),
    ...ofTemplate(uses.saveAs),
    ...(uses.expect ?? []).flatMap(({ that, message }) => [...ofExpression(that), ...ofTemplate(message)]),
    ...ofExpression(uses.repeat?.until),
    ...ofExpression(uses.retryWhen),
    ...ofExpression(uses.listen?.where),
  ]
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
  const inner = changeInnerSteps(step, (steps, order) =>
    order === 'sequence' ? markSteps(steps, marks) : steps.map((branch) => markStep(branch, marks)),
  )
  return {
    ...inner,
    ...changeCaughtSteps(step, (steps) => markSteps(steps, marks)),
    isRead,
    ...(fields && !isWhole ? { fieldsRead: [...fields].sort() } : {}),
    ...(forEach && (isWhole || fields?.has('items'))
      ? { forEach: { ...forEach, keepsItems: true as const } }
      : {}),
  }
}
