import type { RunJournal } from '../../acts/reads/run/index.ts'
import { isLoop, stepsOf } from '../../core/plan/index.ts'
import { createPlanIndex, type RunRecord } from '../../core/record/index.ts'
import { suggest } from '../../core/text/index.ts'
import { CommandError } from '../../project/index.ts'
import { printableLine } from '../../project/text/index.ts'
import type { ReportedRun, ReportOptions } from '../run/report/reported-run.ts'
import { artifactLines } from './file-lines.ts'
import { journalLines } from './journal/journal-lines.ts'

type Shown = RunRecord & ReportedRun

/** What a run and its journal have of one step. Throws for a step that the run does not have. */
export function partOf(
  run: Shown,
  { events, attempts }: RunJournal,
  step: string,
): { readonly run: Shown; readonly journal: RunJournal } {
  const isOfStep = ({ path }: { readonly path: string }): boolean => isInside(path, step)
  const ofStep = [...events].filter(({ event }) => 'path' in event && isOfStep(event))
  const tried = [...attempts].filter(isOfStep)
  const steps = run.steps.filter(isOfStep)
  if (ofStep.length === 0 && tried.length === 0 && steps.length === 0)
    refuseStep(run, { events, attempts }, step)
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
    journal: { events: ofStep, attempts: tried },
  }
}

/** The step itself, what is inside of it, and each item of it. */
function isInside(path: string, step: string): boolean {
  return path === step || (path.startsWith(step) && /^[[/#@]/.test(path.slice(step.length)))
}

function refuseStep(run: RunRecord, { events, attempts }: RunJournal, step: string): never {
  const { plan, run_id: runId } = run
  const begun = [...events].flatMap(({ event }) => ('path' in event && event.path ? [event.path] : []))
  const calls = [...attempts].map(({ path }) => path)
  const known = [...new Set([...stepsOf(plan).map(({ id }) => id), ...begun, ...calls])]
  const owner = createPlanIndex(plan).ownerOf(step)
  const [, loop = step, item] = /^(.*)\[(\d+)\]$/.exec(step) ?? []
  const name = printableLine(step)
  const groups = [...new Set(calls.filter((path) => path.startsWith(`${loop}/group-`)))]
  if (item !== undefined && groups.length > 0)
    throw new CommandError('usage', `${name} is no item of a loop: a batch is sent in groups`, {
      hints: [`its calls: ${groups.map(printableLine).join(', ')}`],
    })
  const isPlanned = owner?.path === loop && (item === undefined || isLoop(owner.step))
  const message = isPlanned ? `${name} was not begun in ${runId}` : `${runId} has no step ${name}`
  throw new CommandError('usage', message, { hints: [suggest(step, known)] })
}

/** A step with everything that it was sent and has answered, in order of time. */
export function stepLines(
  run: RunRecord,
  journal: RunJournal,
  step: string,
  options: ReportOptions,
): readonly string[] {
  const { paint } = options
  const [own] = run.steps.filter(({ path }) => path === step)
  const status = own === undefined ? '' : `  ${own.status}`
  return [
    `${paint.bold(printableLine(step))}${status}  ${paint.dim(`of ${printableLine(run.runbook)}, ${run.run_id}`)}`,
    '',
    ...[...journalLines(run, journal, options, Number.POSITIVE_INFINITY)].flat(),
    ...artifactLines(run, options),
  ]
}
