import { evaluateTemplate, known } from '../../../core/expressions/index.ts'
import type { JsonObject, JsonValue } from '../../../core/json.ts'
import type { Masking } from '../../../core/mask/index.ts'
import type { CatchPlan, Plan, StepPlan, UsesPlan, UsesStepPlan } from '../../../core/plan/index.ts'
import {
  callingSteps,
  caughtSteps,
  everyStep,
  innerSteps,
  isLoop,
  stepIdOf,
} from '../../../core/plan/index.ts'
import { createPlanIndex } from '../../../core/record/index.ts'
import { enclosingPaths } from './step-paths.ts'

/** What is known of a run before it starts. */
export interface RunFacts {
  /** Whether a step creates something; its outputs are kept. One action can create in one step and not in another. */
  creates(path: string, action: string): boolean
  /** Whether a step tells or tidies up after the work: it stands in a `finally`, or in a `catch` that keeps the failure. */
  isAfterwards(path: string, action: string): boolean
  /** Whether a step changes something outside of this machine. */
  writes(path: string, action: string): boolean
  /**
   * The path of what a create is the `finally` of, `''` for the runbook: the next ending of it creates again. Undefined:
   * the call is no such create.
   */
  createsAtEndOf(path: string, action: string): string | undefined
  /** Whether a step of a `catch` or `finally` writes: what was written before it may be undone after it. */
  cleansUp(path: string, action: string): boolean
  /** Steps that the events of the run do not list. */
  readonly planned: readonly PlannedStep[]
  /** The items of a loop, where its list follows from the inputs. */
  itemsOf(loop: string): readonly JsonValue[]
  /** All approvals are given in advance. */
  readonly approvesAll?: boolean
  /** The run is resumed, or only its clean-up is: it is cancelled. */
  readonly hasBegun?: boolean | 'cancelled'
  /**
   * Items of loops with at most this many stay when they have ended. Larger loops drop them.
   * @default 0
   */
  readonly keptItems?: number
  /** Hides what names of items must not show. */
  readonly mask?: Pick<Masking, 'text'>
}

/** The facts of a run that follow from its plan, and from its inputs where they are known. */
export function runFacts(plan: Plan, inputs?: JsonObject): RunFacts {
  const named = (steps: readonly UsesStepPlan[]): ReadonlySet<string> =>
    new Set(steps.map(({ id, uses }) => `${id} ${uses.action.name}`))
  const creating = named(callingSteps(plan).filter(({ uses }) => uses.action.safety === 'create'))
  const writing = named(callingSteps(plan).filter(({ uses }) => isWrite(uses)))
  const cleaning = named(handlingSteps(plan, () => true).filter(({ uses }) => isWrite(uses)))
  const afterwards = named(handlingSteps(plan, ({ keepsFailure }) => keepsFailure === true))
  const isIn =
    (names: ReadonlySet<string>) =>
    (path: string, action: string): boolean =>
      names.has(`${stepIdOf(path)} ${action}`)
  return {
    creates: isIn(creating),
    isAfterwards: isIn(afterwards),
    writes: isIn(writing),
    cleansUp: isIn(cleaning),
    createsAtEndOf: findEnd(plan, isIn(creating)),
    planned: plannedSteps(plan),
    itemsOf: findItems(plan, inputs),
  }
}

function findItems(plan: Plan, inputs: JsonObject | undefined): RunFacts['itemsOf'] {
  const index = createPlanIndex(plan)
  const isInChild = (path: string): boolean => {
    const step = index.ownerOf(path)?.step
    return step !== undefined && index.childOf(step) !== undefined
  }
  return (loop) => {
    const forEach = index.ownerOf(loop)?.step.forEach
    // A runbook that a step runs has inputs of its own.
    if (!inputs || !forEach || enclosingPaths(loop).slice(0, -1).some(isInChild)) return []
    const list = evaluateTemplate(forEach.items, { inputs: known(inputs) })
    return list.state === 'known' && Array.isArray(list.value) ? list.value : []
  }
}

function findEnd(plan: Plan, creates: RunFacts['creates']): RunFacts['createsAtEndOf'] {
  const holders = [plan, ...Object.values(plan.children ?? {}), ...everyStep(plan)]
  const last = new Set(holders.flatMap((holder) => ('finally' in holder ? (holder.finally ?? []) : [])))
  const index = createPlanIndex(plan)
  return (path, action) => {
    const around = last.size > 0 && creates(path, action) ? enclosingPaths(path) : []
    const first = around.find((outer) => {
      const owner = index.ownerOf(outer)
      return owner?.path === outer && last.has(owner.step)
    })
    return first === undefined ? undefined : first.slice(0, Math.max(first.lastIndexOf('/'), 0))
  }
}

/** The calls inside of `finally` and of some entries of `catch`, wherever they stand. */
function handlingSteps(plan: Plan, isMeant: (entry: CatchPlan) => boolean): readonly UsesStepPlan[] {
  const { finally: _, children: __, ...bare } = plan
  const holders = [plan, ...Object.values(plan.children ?? {}), ...everyStep(plan)]
  const steps = holders.flatMap((holder) => [
    ...('catch' in holder ? caughtSteps({ catch: holder.catch?.filter(isMeant) ?? [] }) : []),
    ...('finally' in holder ? (holder.finally ?? []) : []),
  ])
  return callingSteps({ ...bare, steps })
}

/** Whether a call changes something outside of this machine. */
function isWrite({ action }: UsesPlan): boolean {
  return action.safety !== 'read' && action.name !== 'core/write'
}

/** A step that is known before it starts. */
export interface PlannedStep {
  readonly path: string
  readonly name?: string
  readonly action: string
}

/** Every step that a run has exactly once: in blocks and branches too, but not inside loops and choices. */
export function plannedSteps({
  steps,
  finally: last = [],
}: Pick<Plan, 'steps' | 'finally'>): readonly PlannedStep[] {
  return [...steps, ...last].flatMap((step) => withInner(step, step.id))
}

function withInner(step: StepPlan, path: string): readonly PlannedStep[] {
  const action = step.kind === 'uses' ? step.uses.action.name : step.kind
  const own = { path, action, ...(step.name === undefined ? {} : { name: step.name }) }
  const inner = isLoop(step) || step.kind === 'choose' ? [] : innerSteps(step)
  return [own, ...inner.flatMap((one) => withInner(one, `${path}/${one.id}`))]
}
