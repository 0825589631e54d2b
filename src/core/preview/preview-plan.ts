import { reachesOutside } from '../action.ts'
import type { CallCollector } from '../approval/gather-writes.ts'
import { createCoversFinder } from '../approval/plan-covers.ts'
import { builtinActions, builtinInputProblems } from '../builtins/index.ts'
import {
  evaluateTemplate,
  type Known,
  type KnownScope,
  known,
  knownInputs,
  knownMap,
  unknown,
} from '../expressions/known.ts'
import type { JsonObject } from '../json.ts'
import { createMask } from '../mask/mask.ts'
import type { Plan, StepPlan } from '../plan/plan.ts'
import { asksForApproval } from '../plan/plan-walk.ts'
import { readSetting, settlePlan } from '../plan/settings.ts'
import { sensitiveInputs } from '../record/sensitive-values.ts'
import { previewValue } from './preview-value.ts'
import { type CallSpan, simulate } from './shortest-time.ts'
import type { RunbookPreview, StepPreview, ValuePreview } from './step-preview.ts'
import { type CallingStep, callingPreviews, secretsRead, type Totals, totalsOf } from './totals.ts'
import {
  type ArgumentProblem,
  addProblem,
  type CheckChildInputs,
  type PreviewAction,
  type WalkContext,
  type Walked,
  walkedItems,
} from './walk-context.ts'
import { walkSteps, withUnknownSteps } from './walk-steps.ts'

/** What a preview is made of. */
export interface PreviewOptions {
  readonly plan: Plan
  /** Checked, defaults filled in. */
  readonly inputs: JsonObject
  /** Required inputs that are not given: what depends on them is not known. */
  readonly missingInputs?: readonly string[]
  readonly actions: readonly PreviewAction[]
  /** Left out: the inputs of child runbooks are not checked. */
  readonly checkInputs?: CheckChildInputs | undefined
  /** Actions of the plan about which nothing is known: a call of one counts as a create. */
  readonly notLoaded?: readonly string[]
  /** @default each connection is an account with one key */
  readonly countedFor?: WalkContext['countedFor']
  /** @default every moment has come */
  readonly millisecondsUntil?: WalkContext['millisecondsUntil']
}

/** What a run would do, as far as it can be said before it. */
export interface Preview extends RunbookPreview {
  readonly totals: Totals
  /** What may run once at a time. */
  readonly concurrencyKey?: ValuePreview
  /** What is certain to go wrong. */
  readonly problems: readonly ArgumentProblem[]
}

/** Says what a run would do. Nothing is called: this is arithmetic on the plan. */
export function previewPlan(options: PreviewOptions): Preview {
  const { plan } = options
  const covers = asksForApproval(plan) ? createCoversFinder() : undefined
  const context = { ...createContext(options), calls: covers }
  const inputs = knownInputs(options.inputs, options.missingInputs ?? [])
  const { preview, task, usage } = walkRunbook(plan, inputs, context)
  const certain = simulate(task, false)
  const whole = simulate(task, true)
  const key = plan.concurrency && previewValue(plan.concurrency.key, runbookScope(plan, inputs))
  return {
    ...withTimes(preview, whole.spans),
    totals: totalsOf(
      preview,
      usage,
      { shortest_ms: certain.endMs, shortest_if_every_condition_holds_ms: whole.endMs },
      covers,
    ),
    ...(key === undefined ? {} : { concurrencyKey: key }),
    problems: context.problems,
  }
}

/** Everything about the arguments of a plan that is certain to go wrong with these inputs. */
export function argumentProblems(options: PreviewOptions): readonly ArgumentProblem[] {
  const context = createContext(options)
  walkRunbook(options.plan, knownInputs(options.inputs, options.missingInputs ?? []), context)
  const { inErrors } = createMask(sensitiveInputs(options.plan.inputs, options.inputs))
  return context.problems.map((problem) => ({ ...problem, message: inErrors.text(problem.message) }))
}

/** The names of the secrets that a run with these inputs can read, sorted. */
export function secretsNeeded(options: PreviewOptions): readonly string[] {
  return secretsRead(reachableSteps(options)).toSorted()
}

/** The steps that a run with these inputs can reach and whose calls can reach anything but the service. */
export function outsideSteps(options: PreviewOptions): readonly CallingStep[] {
  const outside = new Set(options.actions.filter(reachesOutside).map(({ name }) => name))
  return outside.size === 0
    ? []
    : callingPreviews(reachableSteps(options)).filter(({ action }) => outside.has(action))
}

/** Steps of a run, and what is known where they stand. */
export interface StepsAhead {
  readonly steps: readonly StepPlan[]
  readonly scope: KnownScope
  /** Of the step around them; empty at the top. */
  readonly path: string
  readonly children: Readonly<Record<string, Plan>>
}

/** Gathers the calls that the steps will make, in the order of the plan. */
export function gatherCalls({ steps, scope, path, children }: StepsAhead, calls: CallCollector): void {
  const context = createContext({ plan: { children }, actions: [] })
  walkSteps(steps, scope, { ...context, path, isCertain: false, isMeasured: false, calls })
}

/** All steps; those with `runs: 'no'` are certain to be skipped. */
function reachableSteps(options: PreviewOptions): RunbookPreview {
  const inputs = knownInputs(options.inputs, options.missingInputs ?? [])
  // Single items of a loop do not matter: what the step can reach is what any of its items can.
  const context = { ...createContext(options), budget: { items: 0 } }
  return walkRunbook(options.plan, inputs, context).preview
}

function createContext(
  options: Pick<
    PreviewOptions,
    'actions' | 'checkInputs' | 'notLoaded' | 'countedFor' | 'millisecondsUntil'
  > & {
    readonly plan: Pick<Plan, 'children'>
  },
): WalkContext {
  const { plan } = options
  const builtins = builtinActions.map((action) => ({
    ...action,
    checkInput: (input: JsonObject) => builtinInputProblems(action, input),
  }))
  const actions = new Map([...builtins, ...options.actions].map((action) => [action.name, action]))
  const children = plan.children ?? {}
  return {
    actions,
    notLoaded: new Set(options.notLoaded),
    children,
    walkRunbook,
    countedFor: options.countedFor ?? ((connection = '') => ({ account: connection, key: connection })),
    millisecondsUntil: options.millisecondsUntil ?? (() => 0),
    path: '',
    isCertain: true,
    isMeasured: true,
    problems: [],
    files: new Map(),
    checkInputs: options.checkInputs,
    budget: { items: walkedItems },
  }
}

function withTimes(runbook: RunbookPreview, spans: ReadonlyMap<string, CallSpan>): RunbookPreview {
  const timed = (steps: readonly StepPreview[]): readonly StepPreview[] =>
    steps.map((step) => {
      const span = step.runs === 'no' ? undefined : spans.get(step.path)
      const { uses } = step
      return {
        ...step,
        shortest_ms: span && span.endMs - span.startMs,
        ...(uses?.child === undefined ? {} : { uses: { ...uses, child: withTimes(uses.child, spans) } }),
        steps: timed(step.steps),
        ...(step.branches === undefined
          ? {}
          : { branches: step.branches.map((branch) => ({ ...branch, steps: timed(branch.steps) })) }),
        finally: timed(step.finally),
      }
    })
  return { steps: timed(runbook.steps), finally: timed(runbook.finally) }
}

/** Walks a whole runbook: its steps, and what is done at the end. */
function walkRunbook(given: Plan, inputs: Known, context: WalkContext): Walked<RunbookPreview> {
  const scope = runbookScope(given, inputs)
  const plan = settleKnown(given, inputs, context)
  const main = walkSteps(plan.steps, scope, context)
  const cleanUp = walkSteps(plan.finally ?? [], withUnknownSteps(scope, Object.keys(main.steps)), {
    ...context,
    calls: undefined,
  })
  return {
    preview: { steps: main.preview, finally: cleanUp.preview },
    task: { kind: 'sequence', tasks: [main.task, cleanUp.task] },
    usage: [...main.usage, ...cleanUp.usage],
  }
}

/** Replaces the settings that the known inputs decide. Steps that take theirs from `defaults` share one. */
function settleKnown(plan: Plan, inputs: Known, context: WalkContext): Plan {
  const problems = new Map<string, string>()
  const settled = settlePlan(plan, (setting) => {
    const evaluated = evaluateTemplate(setting.value, { inputs })
    if (evaluated.state === 'failed') problems.set(setting.at, evaluated.message)
    if (evaluated.state !== 'known') return undefined
    const read = readSetting(setting, evaluated.value)
    if (read.number === undefined) problems.set(setting.at, read.problem)
    return read.number
  })
  for (const [at, message] of problems) addProblem(context, context.path === '' ? at : `/${at}`, message)
  return settled
}

/** What only the run will bring. */
const runFields = ['id', 'started_at', 'callbacks', 'url', 'outcome', 'error', 'failed_steps', 'took_seconds']

/** What the first step of a runbook sees. */
function runbookScope({ name }: Plan, inputs: Known): KnownScope {
  return {
    inputs,
    run: knownMap({ name: known(name), ...Object.fromEntries(runFields.map((field) => [field, unknown])) }),
    steps: knownMap({}),
  }
}
