import { type KnownScope, known, unknown } from '../expressions/known.ts'
import type { ChooseStepPlan, StepPlan } from '../plan/plan.ts'
import { previewCondition } from './preview-value.ts'
import { nothing } from './shortest-time.ts'
import type { BranchPreview, ConditionPreview } from './step-preview.ts'
import { addProblem, type WalkContext, type WalkedBody, type WalkedSteps } from './walk-context.ts'

type Runs = BranchPreview['runs']

/** Walks every branch of a choice. Only those that can still run are counted. */
export function walkChoose(
  { choices }: ChooseStepPlan,
  scope: KnownScope,
  context: WalkContext,
  walkSteps: (steps: readonly StepPlan[], scope: KnownScope, context: WalkContext) => WalkedSteps,
): WalkedBody {
  /** Whether all conditions so far are false. */
  let reached = 'yes' as Runs
  const branches = choices.map(({ when, steps }, branch) => {
    const condition = when && previewCondition(when, scope)
    const runs = runsOf(reached, condition)
    if (condition?.state === 'failed') {
      const isCertain = context.isCertain && reached === 'yes'
      addProblem(
        { ...context, isCertain },
        `.choose[${branch}].when`,
        `cannot be evaluated: "${condition.source}"`,
      )
    }
    reached = reachedAfter(reached, condition)
    const isCertain = context.isCertain && runs === 'yes'
    const calls = runs === 'yes' ? context.calls : runs === 'no' ? undefined : context.calls?.maybe()
    return { condition, runs, walked: walkSteps(steps, scope, { ...context, isCertain, calls }) }
  })
  const chosen = branches.findIndex(({ runs }) => runs === 'yes')
  const possible = branches.filter(({ runs }) => runs !== 'no')
  const [first] = possible
  const all = possible.map(({ walked }) => walked.usage)
  const task = first?.walked.task ?? nothing
  const steps = possible.flatMap(({ walked }) => Object.entries(walked.steps))
  return {
    preview: {
      steps: [],
      finally: [],
      branches: branches.map(({ condition, runs, walked }) => ({
        ...(condition === undefined ? {} : { when: condition }),
        runs,
        steps: walked.preview,
      })),
    },
    task: chosen < 0 ? { kind: 'maybe', task } : task,
    usage: chosen < 0 ? [{ either: reached === 'no' ? all : [...all, []] }] : (all[0] ?? []),
    runs: notYet(reached),
    branch: chosen < 0 ? unknown : known(chosen),
    inner: Object.fromEntries(chosen < 0 ? steps.map(([id]) => [id, unknown]) : steps),
  }
}

function runsOf(reached: Runs, condition: ConditionPreview | undefined): Runs {
  if (reached === 'no' || condition?.state === 'false') return 'no'
  return condition === undefined || condition.state === 'true' ? reached : 'open'
}

function reachedAfter(reached: Runs, condition: ConditionPreview | undefined): Runs {
  if (reached === 'no' || condition === undefined || condition.state === 'true') return 'no'
  return condition.state === 'false' ? reached : 'open'
}

/** What none of the branches takes is skipped. */
function notYet(reached: Runs): Runs {
  if (reached === 'open') return 'open'
  return reached === 'yes' ? 'no' : 'yes'
}
