import type { StepPlan, UsesStepPlan } from '../plan.ts'
import { actionName } from '../steps/step.ts'
import { compareTemplates, type Sameness, type Sides } from './compare-templates.ts'
import type { DoneBefore } from './done-before.ts'
import type { Word, WordBook } from './read-words.ts'
import type { StepFate } from './resume-comparison.ts'

/** What is known of the run whose steps are judged. */
export interface JudgedRun {
  readonly words: WordBook
  readonly done: DoneBefore
  /** The names of actions that change nothing elsewhere. */
  readonly local: ReadonlySet<string>
  /** The steps before the amendment, by their paths. */
  readonly earlier: ReadonlyMap<string, StepPlan>
  /** What the steps after it call, by their paths. */
  readonly today: ReadonlyMap<string, string>
}

/** A step that calls, as it is compared. */
export interface JudgedStep {
  readonly step: UsesStepPlan
  readonly was: UsesStepPlan | undefined
  readonly path: string
  /** Whether it calls what it called. */
  readonly sameness: Sameness
  readonly sides: Sides
}

interface Judgement {
  readonly fate: StepFate
  readonly reason?: string
}

/** What would become of a step. Undefined: it does nothing but arithmetic, whenever the run comes there. */
export function judgeStep(
  run: JudgedRun,
  { step, was, path, sameness, sides }: JudgedStep,
): Judgement | undefined {
  const { words, done, local } = run
  const { action } = step.uses
  if (words.isSkipped(path)) return { fate: 'skipped', reason: '--skip' }
  if (arithmetic.has(action.name)) return undefined
  const word = words.ofAnyItem(path)
  const isCall = !pauses.has(action.name)
  const isDone = isCall ? done.calls(path, action.name) > 0 : done.isReached(path)
  if (!isDone) {
    const twin = was ? undefined : goneTwin(run, step, sides, word)
    if (twin && word === 'keep') return { fate: 'kept', reason: `what ${twin} did, which is gone` }
    if (twin && word !== 'repeat') return { fate: 'needs-a-word', reason: `${twin} did the same and is gone` }
    return { fate: was ? 'to-do' : 'new' }
  }
  if (word === 'keep') return { fate: 'kept' }
  if (word === 'repeat') return { fate: 'again', reason: repeatReason(run, path, action.name) }
  const needsWord = isWrite(step, local)
  if (word === 'from') {
    return needsWord
      ? { fate: 'needs-a-word', reason: 'it stands after --from' }
      : { fate: 'again', reason: '--from' }
  }
  if (sameness === 'same') return { fate: 'reused' }
  if (sameness === 'open') return { fate: 'depends' }
  return { fate: needsWord ? 'needs-a-word' : 'again', reason: 'its arguments have changed' }
}

/** Of a loop not all is repeated: how much of what was done counts. */
function repeatReason({ words, done }: JudgedRun, path: string, action: string): string {
  const items = words.itemsToRepeat(path)
  if (items === undefined) return '--repeat'
  if (items.length > 0) return `--repeat of ${items.join(', ')} alone: the other items count`
  const calls = done.calls(path, action)
  return `--repeat of a loop: what was done with the same arguments counts (${calls} ${calls === 1 ? 'call' : 'calls'})`
}

/** A create that was done, is gone, and may have been what this one does. */
function goneTwin(
  { earlier, today, done }: JudgedRun,
  step: UsesStepPlan,
  sides: Sides,
  word: Word | undefined,
): string | undefined {
  if (step.uses.action.safety !== 'create' && word !== 'keep') return undefined
  for (const [path, was] of earlier) {
    if (was.kind !== 'uses' || today.get(path) === actionName(was)) continue
    if (done.calls(path, step.uses.action.name) === 0) continue
    if (word === 'keep' || compareTemplates(was.uses.with, step.uses.with, sides) !== 'changed') return path
  }
  return undefined
}

/** Whether a step changes something elsewhere. */
export function isWrite({ uses: { action } }: UsesStepPlan, local: ReadonlySet<string>): boolean {
  return action.safety !== 'read' && !local.has(action.name)
}

/** Carried out by the interpreter, with nothing that could be done twice. */
const arithmetic: ReadonlySet<string> = new Set(['core/set', 'core/log', 'core/assert', 'core/run'])
/** They ask the host when they were reached, and make no calls. */
const pauses: ReadonlySet<string> = new Set(['core/approve', 'core/wait'])
