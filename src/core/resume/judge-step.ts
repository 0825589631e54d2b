import type { StepPlan, UsesStepPlan } from '../plan/plan.ts'
import { actionName } from '../plan/plan-walk.ts'
import { shellWord } from '../text/shell-word.ts'
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
  /** Nothing is changed by this resume. `changed-before`: by an earlier one. */
  readonly isPlain: 'unchanged' | 'changed-before' | undefined
  /** The step is in a `finally`, or in the `catch` of this step. */
  readonly place: 'finally' | { readonly catchOf: string } | undefined
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
export function judgeStep(run: JudgedRun, judged: JudgedStep): Judgement | undefined {
  const { path, step } = judged
  const { done, overrides } = run
  if (overrides.isSkipped(path)) return { fate: 'skipped', reason: '--skip' }
  if (done.isOver(path)) return judgeOver(run, path, step.uses.action.name)
  if (arithmetic.has(step.uses.action.name)) return undefined
  const { fate, reason } = judgeDone(run, judged)
  const reasons = [reason, fate === 'to-do' || fate === 'new' ? whyMaybe(run) : undefined]
  return withReason(fate, reasons)
}

/** A step that the run does not come back to. */
function judgeOver({ done, place }: JudgedRun, path: string, action: string): Judgement {
  const wasReached = done.calls(path, action) > 0 || done.isReached(path) || done.hasEndedWell(path)
  if (wasReached || (done.hasBegun(path) && !done.wasSkipped(path))) return { fate: 'reused' }
  return withReason('skipped', [whyMaybe({ place })])
}

/** The steps of a `catch` only run after a failure. */
function whyMaybe({ place }: Pick<JudgedRun, 'place'>): string | undefined {
  if (place === undefined || place === 'finally') return undefined
  return `only if ${place.catchOf} fails`
}

export function withReason(fate: StepFate, reasons: readonly (string | undefined)[]): Judgement {
  const reason = reasons.filter((one) => one !== undefined && one !== '').join(', ')
  return reason === '' ? { fate } : { fate, reason }
}

function judgeDone(run: JudgedRun, { step, was, path, sameness, sides }: JudgedStep): Judgement {
  const { overrides, done, local } = run
  const { action } = step.uses
  const override = overrides.ofAnyItem(path)
  const isCall = !pauses.has(action.name)
  const isDone = isCall ? done.calls(path, action.name) > 0 : done.isReached(path)
  if (!isDone) {
    const removed = was ? undefined : removedCreate(run, step, sides, override)
    if (removed && override === 'keep') return { fate: 'kept', reason: `what ${removed} did, which is gone` }
    if (removed && override !== 'repeat')
      return { fate: 'needs-choice', reason: `${removed} did the same and is gone` }
    if (run.place === 'finally' && done.callsAgain(path, action.name) > 0)
      return { fate: 'again', reason: cleanUpReason(step, path) }
    return withReason(was ? 'to-do' : 'new', [done.whyTried(path)])
  }
  if (override === 'keep') {
    const again = done.callsAgain(path, action.name)
    const others = again === 0 ? undefined : `the clean-up makes ${again} of its calls again`
    return withReason('kept', [others ?? done.countsOf(path, action.name)])
  }
  if (override === 'repeat') return { fate: 'again', reason: repeatReason(run, path, action.name) }
  const needsOverride = isWriteStep(step, local)
  if (override === 'from') {
    return needsOverride
      ? { fate: 'needs-choice', reason: 'it stands after --from' }
      : { fate: 'again', reason: '--from' }
  }
  const counts = done.countsOf(path, action.name)
  if (sameness === 'same' && counts !== undefined) return withReason('to-do', [counts, done.whyTried(path)])
  // The run has begun to wait there, and waits on.
  if (run.isPlain && !isCall && !done.hasEndedWell(path)) return { fate: 'to-do' }
  if (sameness === 'same')
    return withReason('reused', [done.isDecided(path) ? done.whyTried(path) : undefined])
  if (sameness === 'open') return { fate: 'depends' }
  return { fate: needsOverride ? 'needs-choice' : 'again', reason: 'its arguments have changed' }
}

/** `finally` runs at each ending. What it created stays there, so the user may prefer to keep it. */
function cleanUpReason({ uses: { action } }: UsesStepPlan, path: string): string {
  const keep = action.safety === 'create' ? `; --keep ${shellWord(path)} keeps its result` : ''
  return `the clean-up runs at each ending${keep}`
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
export function isWriteStep({ uses: { action } }: UsesStepPlan, local: ReadonlySet<string>): boolean {
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
