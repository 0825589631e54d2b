import { createPlanIndex, type RunRecord, type StepRecord } from '../../core/record/index.ts'
import type { ResumeComparison, StepComparison, StepFate } from '../../core/resume/index.ts'
import { shellWord } from '../../core/shell-word.ts'
import type { Engine } from '../../engine/index.ts'
import { createRunTree, type RunTree } from '../../view/run/index.ts'
import { CommandError } from '../shared/command-error.ts'
import { answer, type CommandContext, tell } from '../shared/context.ts'
import { type ExitCode, exitCodes } from '../shared/exit-codes.ts'
import { columns } from '../shared/terminal/columns.ts'
import type { Paint } from '../shared/terminal/paint.ts'
import { printableLine } from '../shared/terminal/printable.ts'
import { countText } from '../shared/terminal/quantity-text.ts'
import type { ResumeFlags } from './read-changes.ts'

/** Shows what the flags would do, and changes nothing. */
export function answerComparison(
  comparison: ResumeComparison,
  { output }: ResumeFlags,
  context: CommandContext,
): ExitCode {
  if (output === 'text') answer(context, comparisonLines(comparison, context.paint).slice(0, -1))
  else answer(context, JSON.stringify(comparison, null, output === 'json' ? 2 : 0))
  refuseChoices(comparison)
  return exitCodes.succeeded
}

/** Shows on stderr what the flags will do. Throws if the user must first choose for a step. */
export function tellComparison(
  comparison: ResumeComparison,
  { output, quiet }: ResumeFlags,
  context: CommandContext,
): void {
  const hints = choiceHints(comparison)
  const isShown = output === 'text' && (!quiet || hints.length > 0)
  if (isShown) tell(context, comparisonLines(comparison, context.errorPaint))
  refuseChoices(comparison)
}

/** Throws where the user must first choose for a step. */
export function refuseChoices(comparison: ResumeComparison): void {
  const hints = choiceHints(comparison)
  if (hints.length > 0) throw choiceNeeded(hints)
}

function choiceNeeded(hints: readonly string[]): CommandError {
  const count = countText(hints.length, 'step')
  return new CommandError(
    exitCodes.usage,
    `${count} changed after a write was sent: choose --repeat or --keep; nothing was changed`,
    { hints },
  )
}

const words: Readonly<Record<StepFate, string>> = {
  reused: 'reused',
  kept: 'kept',
  again: 'again',
  depends: 'depends',
  'needs-choice': 'choose',
  skipped: 'skipped',
  'to-do': 'to do',
  new: 'new',
  removed: 'removed',
}

/** What the changes mean for each step, as text. */
function comparisonLines(comparison: ResumeComparison, paint: Paint): readonly string[] {
  const { run_id, runbook, plan_hash_before, plan_hash, changed_inputs, steps } = comparison
  const changes = [
    ...(plan_hash === plan_hash_before ? [] : ['another runbook']),
    ...(changed_inputs.length === 0 ? [] : [`other inputs (${printableLine(changed_inputs.join(', '))})`]),
  ]
  const changed = changes.length === 0 ? '' : ` with ${changes.join(' and ')}`
  const rows = steps.map((step) => [words[step.fate], step.path, step.action, whyText(step)])
  return [
    `${run_id} of ${printableLine(runbook)} resumes${changed}:`,
    '',
    ...columns(rows, (text, row, column) => {
      if (column !== 0) return column === 1 ? text : paint.dim(text)
      return steps[row]?.fate === 'needs-choice' ? paint.red(text) : text
    }).map((line) => `  ${line}`),
    '',
  ]
}

function whyText({ fate, reason, is_write: isWrite, done }: StepComparison): string {
  if (reason !== undefined) return printableLine(reason)
  switch (fate) {
    case 'depends':
      return isWrite
        ? 'reused if its arguments stay the same, else the run stops before it'
        : 'reused if its arguments stay the same, else repeated'
    case 'removed':
      return isWrite ? 'its results stay' : ''
    case 'reused':
    case 'kept':
      return done > 1 ? `${done} calls` : ''
    default:
      return ''
  }
}

/** The flags to choose from, for each step that needs a choice. */
function choiceHints({ steps }: ResumeComparison): readonly string[] {
  return steps
    .filter(({ fate }) => fate === 'needs-choice')
    .map(
      ({ path }) =>
        `${path}: --repeat ${shellWord(path)} executes it again, --keep ${shellWord(path)} keeps its result`,
    )
}

/** What a resume without changes would do: completed steps are reused, the rest is tried again. */
export async function plainComparison(
  run: RunRecord,
  engine: Pick<Engine, 'readEvents'>,
): Promise<ResumeComparison> {
  const { run_id, runbook, plan, steps, decisions } = run
  const tree = createRunTree()
  for (const { event } of await engine.readEvents(run_id)) tree.take(event)
  const index = createPlanIndex(plan)
  const isWrite = (path: string): boolean => {
    const step = index.ownerOf(path)?.step
    return step?.kind === 'uses' && step.uses.action.safety !== 'read'
  }
  return {
    run_id,
    runbook,
    plan_hash_before: plan.hash,
    plan_hash: plan.hash,
    changed_inputs: [],
    // A loop stands for the steps inside it.
    steps: steps
      .filter(({ path }) => !path.includes('['))
      .map((step) => ({
        path: step.path,
        action: step.action,
        is_write: isWrite(step.path),
        done: step.attempts,
        ...withItems(fateOf(step, decisions), step.path, run.status, tree),
      })),
  }
}

/** Adds how many items or turns of an unfinished loop count. A failed run tries its failed items again. */
function withItems(
  compared: Pick<StepComparison, 'fate' | 'reason'>,
  path: string,
  status: RunRecord['status'],
  tree: RunTree,
): Pick<StepComparison, 'fate' | 'reason'> {
  const step = tree.stepOf(path)
  if (compared.fate !== 'to-do' || step?.path !== path || step.progress === undefined) return compared
  const { done, failed, total, unit } = step.progress
  const reused = status === 'interrupted' ? done : done - failed
  if (reused === 0 || unit === 'groups') return compared
  const count = unit === 'turns' ? countText(reused, 'turn') : `${reused} of ${countText(total, 'item')}`
  return {
    ...compared,
    reason: `${count} reused${compared.reason === undefined ? '' : `, ${compared.reason}`}`,
  }
}

function fateOf(
  { path, status, is_warning, error }: StepRecord,
  decisions: RunRecord['decisions'],
): Pick<StepComparison, 'fate' | 'reason'> {
  if (status === 'succeeded' || status === 'skipped' || is_warning) return { fate: 'reused' }
  if (status === 'unknown') {
    const isDecided = decisions.some((one) => one.decision !== 'cancelled' && isWithin(one.path, path))
    return { fate: 'to-do', reason: isDecided ? 'the decision is recorded' : 'its outcome is unknown' }
  }
  return { fate: 'to-do', ...(error === undefined ? {} : { reason: `tried again: ${error.code}` }) }
}

function isWithin(path: string, outer: string): boolean {
  return path === outer || path.startsWith(`${outer}/`) || path.startsWith(`${outer}[`)
}
