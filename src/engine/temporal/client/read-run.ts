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
  const events = await readEvents(runId)
  // An amended run goes over its plan anew.
  const steps = stepsOf(
    plan,
    [...events].filter(({ seq }) => seq > (amended?.seqBefore ?? 0)),
  )
  return {
    ...standing,
    ...(error === undefined ? {} : { error }),
    inputs,
    plan,
    ...(connection === undefined ? {} : { connection }),
    ...(outputs === undefined ? {} : { outputs }),
    warnings,
    ...(warnings_left_out === undefined ? {} : { warnings_left_out }),
    steps: isGoingOn ? steps : steps.map(interrupted),
    artifacts: await listFiles(dataDir, { runId, amendment: amended?.number }),
    artifacts_dir: artifactsFolder(dataDir, runId),
  }
}
