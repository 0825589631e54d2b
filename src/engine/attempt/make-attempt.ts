import type { Action, ActionAnswer } from '../../actions/action.ts'
import type { RunSecrets } from '../../actions/run-secrets.ts'
import { runWithSecrets } from '../../actions/run-with-secrets.ts'
import { writeArtifact } from '../../actions/write-artifact.ts'
import { secretsOf } from '../../api/client-secrets.ts'
import type { Client } from '../../api/index.ts'
import type { Safety } from '../../core/action.ts'
import type { AttemptResult } from '../../core/attempts.ts'
import type { Cancellation } from '../../core/cancellation.ts'
import type { RunEvent } from '../../core/events.ts'
import type { CallContext, CallRequest } from '../../core/host.ts'
import type { JsonObject, JsonValue } from '../../core/json.ts'
import { jsonSize } from '../../core/json-size.ts'
import { errorData, RunbookError } from '../../core/run-error.ts'
import { answerTooLarge, mostOutputBytes } from '../../core/run-memory.ts'
import { createActionLog } from './action-log.ts'
import type { CallArtifacts } from './artifact-files.ts'
import type { Clock } from './clock.ts'
import type { StopSignals } from './stop-signals.ts'

/** What making attempts needs. */
export interface AttemptPorts {
  readonly secrets: RunSecrets
  /** The client of a connection; of the default one without a name. */
  readonly connect: (name: string | undefined) => Promise<Client>
  readonly report: (event: RunEvent) => void
  readonly clock: Clock
  /** The process is to stop: nothing is sent any more, reads are given up. */
  readonly interrupt: Cancellation
  readonly stops: StopSignals
  /**
   * Awaited before the request of a create leaves; when it rejects, nothing is sent.
   * @default nothing is waited for
   */
  readonly beforeSending?: () => Promise<void>
}

/** One attempt to make. */
export interface AttemptCall {
  readonly request: CallRequest
  readonly action: Action
  readonly safety: Safety
}

/** What an attempt answered, and what is known besides. */
export interface Answered {
  readonly result: AttemptResult
  /** The output as JSON, where there is one. */
  readonly outputText?: string | undefined
  readonly requestId?: string | undefined
  readonly warnings?: readonly string[] | undefined
  /** How long of it was waiting for the rate limit or for the target. */
  readonly waitedMs?: number | undefined
}

/** One attempt, its failure as data. A write in flight is awaited whatever happens; a read is given up. */
export async function makeAttempt(
  call: AttemptCall,
  callArtifacts: CallArtifacts,
  context: CallContext,
  ports: AttemptPorts,
): Promise<Answered> {
  const { path } = call.request
  const artifacts = withoutSecretNames(callArtifacts, ports.secrets)
  const stop = ports.stops.take(context.cancellation)
  const waits = createWaits(context, ports.clock)
  try {
    const { saveAs } = call.request
    const isWrittenHere = saveAs !== undefined && !writesFile(call.action)
    // Found now, and not when everything has been done.
    if (isWrittenHere) await artifacts.fileFor(saveAs)
    const answer = await run(call, artifacts, waits, ports, stop.signal)
    const kept = isWrittenHere ? await saveOutput(call, saveAs, artifacts, answer) : answer.output
    return keptAnswer(kept, answer, waits.totalMs())
  } catch (thrown) {
    const error = { ...errorData(thrown), path }
    return {
      result: { status: 'failed', error },
      requestId: error.requestId,
      waitedMs: waits.totalMs(),
    }
  } finally {
    stop.release()
    artifacts.release()
  }
}

/** Refuses a file whose name would show a secret. */
function withoutSecretNames(artifacts: CallArtifacts, { mask, learned }: RunSecrets): CallArtifacts {
  return {
    ...artifacts,
    async fileFor(name) {
      await learned()
      const shown = mask.text(name)
      if (shown === name) return artifacts.fileFor(name)
      const message = `save-as "${shown}" holds a secret, and everybody sees the names of files; nothing was sent`
      throw new RunbookError('InvalidInput', message, { notSent: true })
    },
  }
}

/** The times in which an attempt waits for its turn. */
interface Waits {
  begin(): void
  end(): void
  /** Undefined where it has not waited. */
  totalMs(): number | undefined
}

function createWaits({ onWaiting }: CallContext, clock: Clock): Waits {
  let waitedMs = 0
  let since: number | undefined
  return {
    begin() {
      since ??= clock.now()
      onWaiting(true)
    },
    end() {
      if (since !== undefined) waitedMs += Math.max(clock.now() - since, 0)
      since = undefined
      onWaiting(false)
    },
    totalMs: () => (waitedMs === 0 ? undefined : waitedMs),
  }
}

function writesFile({ savesFile }: Action): boolean {
  return savesFile === 'always' || savesFile === 'itself'
}

/** A write that is on its way is awaited. */
const neverAborted = new AbortController().signal

function run(
  { action, safety, request }: AttemptCall,
  artifacts: CallArtifacts,
  waits: Waits,
  { connect, report, secrets: ofRun, beforeSending = async () => {} }: AttemptPorts,
  stop: AbortSignal,
): Promise<ActionAnswer> {
  const { path, attempt, input, secrets = [], saveAs, attemptTimeoutMs } = request
  return runWithSecrets(action, input, secrets, ofRun, {
    async connect() {
      const client = await connect(request.connection)
      for (const secret of secretsOf(client)) ofRun.mask.hide(secret)
      return client
    },
    artifacts,
    attempt,
    signal: safety === 'read' ? stop : neverAborted,
    signalBeforeSending: stop,
    beforeSending,
    saveAs: writesFile(action) ? saveAs : undefined,
    timeoutMs: attemptTimeoutMs,
    onWait({ reason, untilMs }) {
      waits.begin()
      report({ type: 'waiting', path, reason, ...(untilMs === undefined ? {} : { until: untilMs }) })
    },
    onWaitOver: () => waits.end(),
    log: createActionLog(path, attempt, report),
    mask: ofRun.mask,
  })
}

/** The answer as it is recorded; one that is too large is refused. */
function keptAnswer(
  kept: JsonValue,
  { requestId, warnings }: ActionAnswer,
  waitedMs: number | undefined,
): Answered {
  const outputText = JSON.stringify(kept)
  const tooLarge = answerTooLarge(Buffer.byteLength(outputText))
  if (tooLarge) throw requestId === undefined ? tooLarge : withRequestId(tooLarge, requestId)
  return {
    result: { status: 'succeeded', output: kept },
    outputText,
    requestId,
    warnings,
    waitedMs,
  }
}

/** What was created and cannot be kept is not a failure that says that nothing was done. */
async function saveOutput(
  { action: { name }, safety }: AttemptCall,
  file: string,
  artifacts: CallArtifacts,
  { output, requestId }: ActionAnswer,
): Promise<JsonObject> {
  try {
    return { ...(await writeArtifact(artifacts, file, output)) }
  } catch (cause) {
    if (safety !== 'create') throw cause
    const message = `${name} was carried out, and its outputs could not be written: ${(cause as Error).message}`
    throw new RunbookError('OutcomeUnknown', message, {
      cause,
      ...(jsonSize(output) > mostOutputBytes ? {} : { details: { output } }),
      ...(requestId === undefined ? {} : { requestId }),
    })
  }
}

function withRequestId(error: RunbookError, requestId: string): RunbookError {
  return new RunbookError(error.code, error.message, { requestId })
}
