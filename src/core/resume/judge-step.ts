import type { StepPlan, UsesStepPlan } from '../plan.ts'
import { actionName } from '../steps/step.ts'
import { compareTemplates, type Sameness, type Sides } from './compare-templates.ts'
import type { DoneBefore } from './done-before.ts'
import type { Override, StepOverrides } from './resume-changes.ts'
import type { StepFate } from './resume-comparison.ts'

/** What is known about the run. */
export interface JudgedRun {
  readonly overrides: StepOverrides
  readonly done: DoneBefore
  /** The names of actions that send nothing. */
  readonly local: ReadonlySet<string>
  /** The steps before the changes, by their paths. */
  readonly earlier: ReadonlyMap<string, StepPlan>
  /** The actions of the steps after the changes, by their paths. */
  readonly today: ReadonlyMap<string, string>
}

/** A step that calls an action, on both sides of the changes. */
export interface JudgedStep {
  readonly step: UsesStepPlan
  readonly was: UsesStepPlan | undefined
  readonly path: string
  /** Whether its calls are the same as before. */
  readonly sameness: Sameness
  readonly sides: Sides
}

/** What a resume does with a step. */
export interface Judgement {
  readonly fate: StepFate
  readonly reason?: string
}

/** What a resume does with a step. Undefined: the step sends nothing, and runs again each time. */
export function judgeStep(
  run: JudgedRun,
  { step, was, path, sameness, sides }: JudgedStep,
): Judgement | undefined {
  const { overrides, done, local } = run
  const { action } = step.uses
  if (overrides.isSkipped(path)) return { fate: 'skipped', reason: '--skip' }
  if (arithmetic.has(action.name)) return undefined
  const override = overrides.ofAnyItem(path)
  const isCall = !pauses.has(action.name)
  const isDone = isCall ? done.calls(path, action.name) > 0 : done.isReached(path)
  if (!isDone) {
    const removed = was ? undefined : removedCreate(run, step, sides, override)
    if (removed && override === 'keep') return { fate: 'kept', reason: `what ${removed} did, which is gone` }
    if (removed && override !== 'repeat')
      return { fate: 'needs-choice', reason: `${removed} did the same and is gone` }
    return { fate: was ? 'to-do' : 'new' }
  }
  if (override === 'keep') return { fate: 'kept' }
  if (override === 'repeat') return { fate: 'again', reason: repeatReason(run, path, action.name) }
  const needsOverride = isWrite(step, local)
  if (override === 'from') {
    return needsOverride
      ? { fate: 'needs-choice', reason: 'it stands after --from' }
      : { fate: 'again', reason: '--from' }
  }
  if (sameness === 'same') return { fate: 'reused' }
  if (sameness === 'open') return { fate: 'depends' }
  return { fate: needsOverride ? 'needs-choice' : 'again', reason: 'its arguments have changed' }
}

/** Which items of a loop a `--repeat` leaves as they are. */
function repeatReason({ overrides, done }: JudgedRun, path: string, action: string): string {
  const items = overrides.itemsToRepeat(path)
  if (items === undefined) return '--repeat'
  if (items.length > 0) return `--repeat of ${items.join(', ')} alone: the other items count`
  const calls = done.calls(path, action)
  return `--repeat of a loop: what was done with the same arguments counts (${calls} ${calls === 1 ? 'call' : 'calls'})`
}

/** The path of a create that completed, that the runbook no longer has, and that may be the same as this one. */
function removedCreate(
  { earlier, today, done }: JudgedRun,
  step: UsesStepPlan,
  sides: Sides,
  override: Override | undefined,
): string | undefined {
  if (step.uses.action.safety !== 'create' && override !== 'keep') return undefined
  for (const [path, was] of earlier) {
    if (was.kind !== 'uses' || today.get(path) === actionName(was)) continue
    if (done.calls(path, step.uses.action.name) === 0) continue
    if (override === 'keep' || compareTemplates(was.uses.with, step.uses.with, sides) !== 'changed')
      return path
  }
  return undefined
}

/** Whether a step changes something outside of this machine. */
export function isWrite({ uses: { action } }: UsesStepPlan, local: ReadonlySet<string>): boolean {
  return action.safety !== 'read' && !local.has(action.name)
}

/** Run by the interpreter. They send nothing. */
const arithmetic: ReadonlySet<string> = new Set([
  'core/set',
  'core/log',
  'core/assert',
  'core/fail',
  'core/run',
])
/** They ask the host when the run first reached them, and make no calls. */
const pauses: ReadonlySet<string> = new Set(['core/approve', 'core/ask', 'core/wait', 'core/time'])
