import { WorkflowNotFoundError } from '@temporalio/client'
import type { RunOutcome } from '../../../core/interpret.ts'
import type { RecordedEvent, RunRecord, StepRecord } from '../../../core/record/run-record.ts'
import { isCarriedOut } from '../../../core/record/run-record.ts'
import { artifactsFolder } from '../../attempt/artifact-files.ts'
import { listFiles } from './list-files.ts'
import { outcomeOf } from './outcome-of.ts'
import { readStart } from './read-history.ts'
import { readState } from './read-state.ts'
import { readSummary } from './read-summary.ts'
import { stepsOf } from './steps-of.ts'
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
  const { plan, inputs, connection, carried } = await readStart(ports.client, runId)
  const state = await talkToRun(runId, ports, () => readState(handle))
  const isGoingOn = isCarriedOut(summary.status)
  const outcome: Partial<RunOutcome> = isGoingOn ? {} : await outcomeOf(handle).catch(() => ({}))
  const { outputs, error = summary.error, warnings = [], warnings_left_out } = outcome
  const { seqBefore = 0 } = carried?.amended ?? {}
  const events = await readEvents(runId)
  // An amended run goes over its plan anew.
  const steps = stepsOf(
    plan,
    [...events].filter(({ seq }) => seq > seqBefore),
  )
  return {
    ...summary,
    status: isGoingOn && state.status !== 'ended' ? state.status : summary.status,
    ...(error === undefined ? {} : { error }),
    inputs,
    plan,
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
    artifacts: await listFiles(dataDir, { runId, amendment: carried?.amended?.number }),
    artifacts_dir: artifactsFolder(dataDir, runId),
  }
}

function interrupted(step: StepRecord): StepRecord {
  return step.status === 'running' ? { ...step, status: 'interrupted' } : step
}
