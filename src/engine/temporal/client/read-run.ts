import type { RunOutcome } from '../../../core/interpret.ts'
import { isCarriedOut, type RecordedEvent, type RunRecord } from '../../../core/record/run-record.ts'
import { artifactsFolder } from '../../attempt/artifact-files.ts'
import { listFiles } from './list-files.ts'
import { outcomeOf } from './outcome-of.ts'
import { readStart } from './read-history.ts'
import { interrupted, readStanding } from './read-standing.ts'
import { stepsOf } from './steps-of.ts'
import type { ClientPorts } from './talk-to-run.ts'

/** One run, from what the server holds of it and from what its workflow says. Undefined: there is no such run. */
export async function readRun(
  runId: string,
  dataDir: string,
  ports: ClientPorts,
  readEvents: (runId: string) => Promise<Iterable<RecordedEvent>>,
): Promise<RunRecord | undefined> {
  const standing = await readStanding(runId, ports)
  if (!standing) return undefined
  const { plan, inputs, connection, carried } = await readStart(ports.client, runId)
  const isGoingOn = isCarriedOut(standing.status)
  const handle = ports.client.workflow.getHandle(runId)
  const outcome: Partial<RunOutcome> = isGoingOn ? {} : await outcomeOf(handle).catch(() => ({}))
  const { outputs, error = standing.error, warnings = [], warnings_left_out } = outcome
  const { amended } = carried ?? {}
  const events = [...(await readEvents(runId))]
  const [first] = events
  const isWhole = first === undefined || first.seq === 1
  // An amended run goes over its plan anew.
  const seqBefore = amended?.seqBefore ?? 0
  // Of what is not kept any more, the workflow itself knows how the steps ended.
  const steps =
    isWhole || first.seq <= seqBefore + 1
      ? stepsOf(
          plan,
          events.filter(({ seq }) => seq > seqBefore),
        )
      : standing.steps
  return {
    ...standing,
    ...(error === undefined ? {} : { error }),
    inputs,
    plan,
    ...(isWhole ? {} : { kept_from: first.event.at }),
    ...(connection === undefined ? {} : { connection }),
    ...(outputs === undefined ? {} : { outputs }),
    warnings,
    ...(warnings_left_out === undefined ? {} : { warnings_left_out }),
    steps: isGoingOn ? steps : steps.map(interrupted),
    artifacts: await listFiles(dataDir, { runId, amendment: amended?.number }),
    artifacts_dir: artifactsFolder(dataDir, runId),
  }
}
