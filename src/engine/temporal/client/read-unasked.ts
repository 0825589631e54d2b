import type { RunRecord } from '../../../core/record/index.ts'
import { artifactsFolder } from '../../attempt/index.ts'
import { type ClientPorts, serverError } from './client-ports.ts'
import { describeOf } from './describe-run.ts'
import { readStart } from './read-history.ts'
import { readListed } from './read-summary.ts'

/** What the server knows of a run without a worker: how it was started, and what it listed last. */
export async function readUnasked(
  runId: string,
  dataDir: string,
  ports: ClientPorts,
): Promise<RunRecord | undefined> {
  const info = await describeOf(ports, runId)
  if (!info) return undefined
  const { plan, inputs, connection, continued } = await readStart(ports.client, runId).catch((thrown) => {
    throw serverError(thrown, ports)
  })
  return {
    ...readListed(info),
    questions: [],
    resumes: continued?.resumes ?? [],
    decisions: [],
    control_requests: [],
    inputs,
    plan,
    ...(connection === undefined ? {} : { connection }),
    warnings: [],
    steps: [],
    artifacts: [],
    artifacts_dir: artifactsFolder(dataDir, runId),
  }
}
