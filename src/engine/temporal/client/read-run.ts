import { WorkflowNotFoundError } from '@temporalio/client'
import type { RunOutcome } from '../../../core/interpret.ts'
import type { Plan } from '../../../core/plan.ts'
import { createPlanIndex } from '../../../core/record/plan-index.ts'
import type { RecordedEvent, RunRecord, StepRecord } from '../../../core/record/run-record.ts'
import { isCarriedOut } from '../../../core/record/run-record.ts'
import { createStepRecords } from '../../../core/record/step-records.ts'
import { artifactsFolder } from '../../attempt/artifact-files.ts'
import { createStepRows } from '../step-rows.ts'
import { listFiles } from './list-files.ts'
import { outcomeOf } from './outcome-of.ts'
import { readStart } from './read-history.ts'
import { readState } from './read-state.ts'
import { readSummary } from './read-summary.ts'
import { type ClientPorts, serverError, talkToRun } from './talk-to-run.ts'

/** One run, from what the server holds of it and from what its workflow says. Undefined: there is no such run. */
export async function readRun(
  runId: string,
  dataDir: string,
  ports: ClientPorts,
  readEvents: (runId: string) => Promise<Iterable<RecordedEvent>>,
): Promise<RunRecord | undefined> {
  const handle = ports.client.workflow.getHandle(runId)
  const info = await handle.describe().catch((thrown: unknown) => {
    if (thrown instanceof WorkflowNotFoundError) return undefined
    throw serverError(thrown, ports)
  })
  if (!info) return undefined
  const summary = readSummary(info)
  const { plan, inputs, connection } = await readStart(ports.client, runId)
  const state = await talkToRun(runId, ports, () => readState(handle))
  const isGoingOn = isCarriedOut(summary.status)
  const outcome: Partial<RunOutcome> = isGoingOn ? {} : await outcomeOf(handle).catch(() => ({}))
  const { outputs, error = summary.error, warnings = [], warnings_left_out } = outcome
  const events = [...(await readEvents(runId))]
  const [first] = events
  const isWhole = first === undefined || first.seq === 1
  // Of what is not kept any more, the workflow itself knows how the steps ended.
  const steps = isWhole ? stepsOf(plan, events) : state.steps
  return {
    ...summary,
    status: isGoingOn && state.status !== 'ended' ? state.status : summary.status,
    ...(error === undefined ? {} : { error }),
    inputs,
    plan,
    ...(isWhole ? {} : { kept_from: first.event.at }),
    ...(connection === undefined ? {} : { connection }),
    ...(outputs === undefined ? {} : { outputs }),
    warnings,
    ...(warnings_left_out === undefined ? {} : { warnings_left_out }),
    resumes: state.resumes,
    decisions: state.decisions,
    wishes: isGoingOn
      ? state.wishes
      : state.wishes.map((wish) => ({ over_at: summary.ended_at ?? wish.at, ...wish })),
    steps: isGoingOn ? steps : steps.map(interrupted),
    questions: state.questions,
    artifacts: await listFiles(dataDir, runId),
    artifacts_dir: artifactsFolder(dataDir, runId),
  }
}

/** The records of all steps, those of items too, which the workflow itself does not keep. */
function stepsOf(plan: Plan, events: Iterable<RecordedEvent>): readonly StepRecord[] {
  const rows = createStepRows([])
  const records = createStepRecords(createPlanIndex(plan), rows, true)
  for (const { event } of events)
    for (const { record, position } of records.take(event)) rows.write(record, position)
  return rows.list()
}

function interrupted(step: StepRecord): StepRecord {
  return step.status === 'running' ? { ...step, status: 'interrupted' } : step
}
