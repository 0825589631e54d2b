import { readdir, stat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RunOutcome } from '../../../core/interpret.ts'
import {
  type ArtifactRecord,
  isExecuted,
  type PlaceInLine,
  type RecordedEvent,
  type RunRecord,
  type RunState,
  type StepRecord,
} from '../../../core/record/index.ts'
import { isPartialName } from '../../../core/text/index.ts'
import { artifactsFolder } from '../../attempt/index.ts'
import { type AwaitedLine, type LineState, lineQuery } from '../concurrency/line.ts'
import { type RunStateAnswer, stateQuery } from '../messages.ts'
import { stepRecordsOf } from '../step-rows.ts'
import { type ClaimedRun, findStepOfFile } from '../worker/file-claims.ts'
import { atServer, type ClientPorts } from './client-ports.ts'
import { describeOf } from './describe-run.ts'
import { readStart } from './read-history.ts'
import { readKeptLog } from './read-log.ts'
import { outcomeOf, readListed, readSummary } from './read-summary.ts'
import { readWaiting } from './read-waiting.ts'
import { askRun } from './talk-to-run.ts'

/** The state of a run with the records of its steps, without those inside loops that have ended. */
export interface FoundRun extends RunState, Pick<RunRecord, 'waiting_attempts'> {
  readonly steps: readonly StepRecord[]
}

/**
 * The state of a run, from the listing of the server and from its workflow. A closed workflow has left its state in
 * the history, so that needs no worker. Undefined: there is no such run.
 */
export async function readRunState(runId: string, ports: ClientPorts): Promise<FoundRun | undefined> {
  for (let looks = 1; ; looks++) {
    const read = await readOnce(runId, ports)
    // The server closes a workflow after its run has ended.
    if (!read?.isClosing || looks === mostLooks) return read?.runState
    await sleep(lookAgainMs)
  }
}

const lookAgainMs = 20
const mostLooks = 100

async function readOnce(
  runId: string,
  ports: ClientPorts,
): Promise<{ readonly runState: FoundRun; readonly isClosing: boolean } | undefined> {
  const info = await describeOf(ports, runId)
  if (!info) return undefined
  const summary = readSummary(info)
  const isOpenRun = isExecuted(summary.status)
  // A run that was ended at the server has left nothing.
  const kept = isOpenRun ? undefined : await readKeptLog(ports, runId, info.runId)
  const state = kept?.state ?? (await askState(runId, ports))
  const { status, steps, questions, resumes, decisions, control_requests } = state
  const waiting = isOpenRun
    ? [...(state.waiting_attempts ?? []), ...(await readWaiting(ports.client, info))]
    : []
  const place = state.line && (await readPlaceInLine(ports, runId, state.line))
  const runState = {
    ...summary,
    ...(place === undefined ? {} : { place_in_line: place }),
    ...(waiting.length === 0 ? {} : { waiting_attempts: waiting }),
    status: isOpenRun && status !== 'ended' ? status : summary.status,
    steps: isOpenRun ? steps : steps.map(interrupted),
    questions,
    resumes,
    decisions,
    control_requests: isOpenRun
      ? control_requests
      : control_requests.map((controlRequest) => ({
          over_at: summary.ended_at ?? controlRequest.at,
          ...controlRequest,
        })),
  }
  return { runState, isClosing: isOpenRun && status === 'ended' }
}

/** The runs before one that waits in line. Undefined: the line has no answer. */
async function readPlaceInLine(
  { client }: ClientPorts,
  runId: string,
  { lineId, key, limit }: AwaitedLine,
): Promise<PlaceInLine | undefined> {
  try {
    const { holders, waiting } = await client.workflow.getHandle(lineId).query<LineState>(lineQuery)
    const position = waiting.findIndex((one) => one.runId === runId)
    const ahead = waiting.slice(0, Math.max(position, 0)).map((one) => one.runId)
    return { key, limit, before: [...holders.map((one) => one.runId), ...ahead] }
  } catch {
    return undefined
  }
}

/** A step of a run that has ended is not running. */
function interrupted(step: StepRecord): StepRecord {
  return step.status === 'running' ? { ...step, status: 'interrupted' } : step
}

/** Asks a run where it stands. */
export function askState(runId: string, ports: ClientPorts): Promise<RunStateAnswer> {
  const handle = ports.client.workflow.getHandle(runId)
  return askRun(runId, ports, () => handle.query<RunStateAnswer>(stateQuery))
}

/** The state of a run, with its outcome once it has ended. */
export async function withOutcome(
  runState: FoundRun,
  { client }: ClientPorts,
): Promise<FoundRun & Pick<RunRecord, 'outputs' | 'warnings' | 'warnings_left_out'>> {
  if (isExecuted(runState.status)) return { ...runState, warnings: [] }
  const handle = client.workflow.getHandle(runState.run_id)
  const { status: _, ...outcome }: Partial<RunOutcome> = await outcomeOf(handle).catch(() => ({}))
  return { ...runState, warnings: [], ...outcome }
}

/** What the server has listed of a run, without its workflow. */
async function readListedState(runId: string, ports: ClientPorts): Promise<FoundRun | undefined> {
  const info = await describeOf(ports, runId)
  const unknown = { questions: [], resumes: [], decisions: [], control_requests: [], steps: [] }
  return info && { ...readListed(info), ...unknown }
}

/**
 * One run, from the server and its workflow. Undefined: there is no such run. Without `readEvents`: without its steps.
 * `isUnasked`: of an open run, only what the server knows without a worker.
 */
export async function readRun(
  runId: string,
  dataDir: string,
  ports: ClientPorts,
  readEvents: ((runId: string) => Promise<Iterable<RecordedEvent>>) | undefined,
  isUnasked = false,
): Promise<RunRecord | undefined> {
  const runState = await (isUnasked ? readListedState : readRunState)(runId, ports)
  if (!runState) return undefined
  const { plan, inputs, connection, continued } = await atServer(ports, () => readStart(ports.client, runId))
  const isOpenRun = isExecuted(runState.status)
  const { changed } = continued ?? {}
  const events = readEvents ? [...(await readEvents(runId))] : []
  const [first] = events
  const isWhole = first === undefined || first.seq === 1
  // A run with changes starts its plan from the beginning.
  const seqBefore = changed?.seqBefore ?? 0
  // The workflow knows the results of steps whose events are gone.
  const steps =
    isWhole || first.seq <= seqBefore + 1
      ? stepRecordsOf(
          plan,
          events.filter(({ seq }) => seq > seqBefore),
        )
      : runState.steps
  return {
    ...(await withOutcome(runState, ports)),
    resumes: continued?.resumes ?? [],
    inputs,
    plan,
    ...(isWhole ? {} : { kept_from: first.event.at }),
    ...(connection === undefined ? {} : { connection }),
    steps: !readEvents ? [] : isOpenRun ? steps : steps.map(interrupted),
    artifacts: await readFiles(dataDir, { runId, changes: changed?.number }),
    artifacts_dir: artifactsFolder(dataDir, runId),
  }
}

/** The names of the files of a run, as far as this machine sees the directory that its workers share. */
export async function listFiles(dataDir: string, runId: string): Promise<readonly string[]> {
  const folder = artifactsFolder(dataDir, runId)
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const files = entries.flatMap((entry) => {
    const file = relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/')
    return entry.isFile() && !isPartialName(file) ? [file] : []
  })
  return files.toSorted()
}

async function readFiles(dataDir: string, run: ClaimedRun): Promise<readonly ArtifactRecord[]> {
  const files = await listFiles(dataDir, run.runId)
  return Promise.all(
    files.map(async (file) => {
      const path = (await findStepOfFile(dataDir, run, file).catch(() => undefined)) ?? ''
      const { size } = await stat(join(artifactsFolder(dataDir, run.runId), file))
      return { file, path, bytes: size }
    }),
  )
}
