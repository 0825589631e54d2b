import { isLoop, stepsOf } from '../../../core/plan/index.ts'
import {
  type AttemptRecord,
  createPlanIndex,
  isPathInside,
  itemPathsOf,
  type RecordedEvent,
  type RunRecord,
} from '../../../core/record/index.ts'
import { nearest } from '../../../core/text/index.ts'
import { CommandError } from '../../../project/index.ts'
import { printableLine } from '../../../project/text/index.ts'

/** What happened in a run, in its order. */
export interface RunJournal {
  readonly events: Iterable<RecordedEvent>
  readonly attempts: Iterable<AttemptRecord>
}

/**
 * What a run and its journal have of one step, item or call. `attempts` are those of the step: they are large, and read one
 * by one. Throws for a step that the run does not have, or that was not begun, under its `label`.
 */
export function partOf<Shown extends RunRecord>(
  run: Shown,
  { events, attempts }: RunJournal,
  step: string,
  label: string = step,
): { readonly run: Shown; readonly journal: RunJournal } {
  const isOfStep = ({ path }: { readonly path: string }): boolean => isPathInside(path, step)
  const begun = [...events].filter(({ event }) => 'path' in event && event.path !== '')
  const ofStep = begun.filter(({ event }) => isOfStep(event as { path: string }))
  const steps = run.steps.filter(isOfStep)
  if (ofStep.length === 0 && steps.length === 0)
    refuseStep(run, [...new Set(begun.map(({ event }) => (event as { path: string }).path))], step, label)
  return {
    run: {
      ...run,
      steps,
      resumes: [],
      control_requests: [],
      decisions: run.decisions.filter(isOfStep),
      questions: run.questions.filter(isOfStep),
      artifacts: run.artifacts.filter(isOfStep),
    },
    journal: { events: ofStep, attempts },
  }
}

/** Whether a step, or an item that its loop has counted, is planned and was not begun. */
export function isNotBegun(
  { plan, steps }: RunRecord,
  events: Iterable<RecordedEvent>,
  step: string,
): boolean {
  if (steps.some(({ path, status }) => path === step && status !== 'pending')) return false
  const totals = new Map<string, number>()
  for (const { event } of events) {
    if (!('path' in event)) continue
    if (isPathInside(event.path, step)) return false
    if (event.type === 'items_counted') totals.set(event.path, event.total)
  }
  const isCounted = itemPathsOf(step).every((item) => {
    const { loop, index = 0 } = loopOf(item)
    return index < (totals.get(loop) ?? 0)
  })
  return isCounted && isPlanned(plan, step)
}

/** The loop and the position of an item; a step that is no item has neither. */
function loopOf(step: string): { readonly loop: string; readonly index?: number } {
  const [, loop = step, index] = /^(.*)\[(\d+)\]$/.exec(step) ?? []
  return { loop, ...(index === undefined ? {} : { index: Number(index) }) }
}

/** Whether a plan has a step, or an item of a loop. */
function isPlanned(plan: RunRecord['plan'], step: string): boolean {
  const { loop, index } = loopOf(step)
  const owner = createPlanIndex(plan).ownerOf(step)
  return owner?.path === loop && (index === undefined || isLoop(owner.step))
}

/** `begun`: the paths of all that has begun, calls too. */
function refuseStep(
  { plan, run_id: runId }: RunRecord,
  begun: readonly string[],
  step: string,
  label: string,
): never {
  const planned = stepsOf(plan).map(({ id }) => id)
  const near = nearest(step, [...planned, ...begun])
  const { loop, index } = loopOf(step)
  const name = printableLine(step)
  const groups = begun.filter((path) => path.startsWith(`${loop}/group-`))
  if (index !== undefined && groups.length > 0)
    throw new CommandError('usage', `${name} is no item of a loop: a batch is sent in groups`, {
      hints: [`its calls: ${groups.map(printableLine).join(', ')}`],
    })
  const message = isPlanned(plan, step)
    ? `${printableLine(label)} was not begun in ${runId}`
    : `${runId} has no step ${name}`
  throw new CommandError('usage', message, {
    code: 'StepNotFound',
    hints: [near === undefined ? `known: ${planned.join(', ')}` : `did you mean "${near}"?`],
  })
}
