import type { RunJournal } from '../../acts/reads/run/index.ts'
import { stepsOf } from '../../core/plan/index.ts'
import type { RecordedEvent, RunRecord } from '../../core/record/index.ts'
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
  if (ofStep.length === 0 && tried.length === 0 && steps.length === 0) refuseStep(run, events, step)
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

function refuseStep(
  { plan, run_id: runId }: RunRecord,
  events: Iterable<RecordedEvent>,
  step: string,
): never {
  const begun = [...events].flatMap(({ event }) => ('path' in event && event.path ? [event.path] : []))
  const known = [...new Set([...stepsOf(plan).map(({ id }) => id), ...begun])]
  const [parent = ''] = step.split(/[[/]/)
  const isThere = known.includes(parent) && parent !== step
  const message = isThere
    ? `${printableLine(step)} was not begun in ${runId}`
    : `${runId} has no step ${printableLine(step)}`
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
