import {
  type Action,
  type ActionAnswer,
  isHttpConnection,
  type RunSecrets,
  runWithSecrets,
  writeArtifact,
} from '../../actions/index.ts'
import { secretsOf } from '../../api/secrets/index.ts'
import type { Safety } from '../../core/action.ts'
import type { RunEvent } from '../../core/events.ts'
import type { CallContext, CallRequest, Cancellation, MadeAttempt } from '../../core/host/index.ts'
import { type JsonObject, type JsonValue, jsonSize } from '../../core/json.ts'
import { mostOutputBytes, resultTooLarge } from '../../core/record/index.ts'
import { errorData, RunbookError } from '../../core/run-error.ts'
import type { CallArtifacts } from './artifact-files.ts'
import type { Clock } from './clock.ts'
import type { Connected, OpenConnection } from './connections.ts'

/** What making attempts needs. */
export interface AttemptPorts {
  readonly secrets: RunSecrets
  readonly connect: OpenConnection
  readonly report: (event: RunEvent) => void
  readonly clock: Clock
  /** Cancelled when the process must stop: reads are cancelled, and nothing new is sent. */
  readonly interrupt: Cancellation
  /**
   * Awaited before the request of a create is sent. If it rejects, nothing is sent. `unsent` is aborted where
   * the request did not leave after all.
   * @default sends without waiting
   */
  readonly beforeSending?: (unsent?: AbortSignal) => Promise<void>
}

/** One attempt to make. */
export interface AttemptCall {
  readonly request: CallRequest
  readonly action: Action
  readonly safety: Safety
}

/** Makes one attempt, and returns its failure as data. A write in flight is always awaited; a read is cancelled. */
export async function makeAttempt(
  call: AttemptCall,
  callArtifacts: CallArtifacts,
  context: CallContext,
  ports: AttemptPorts,
): Promise<MadeAttempt> {
  const { path } = call.request
  const artifacts = withoutSecretNames(callArtifacts, ports.secrets)
  const stop = new AbortController()
  const forgets = [ports.interrupt, context.cancellation].map((one) =>
    one.onCancel(() => stop.abort(one.reason)),
  )
  const waits = createWaits(context, ports.clock)
  try {
    const { saveAs } = call.request
    const isWrittenHere = saveAs !== undefined && !writesFile(call.action)
    // An unusable name must fail before anything is sent.
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
      isInterrupted: error.code === 'Cancelled' && ports.interrupt.reason !== undefined,
    }
  } finally {
    for (const forget of forgets) forget()
    artifacts.release()
  }
}

/** Refuses file names that contain a secret. */
function withoutSecretNames(artifacts: CallArtifacts, { mask, learned }: RunSecrets): CallArtifacts {
  return {
    ...artifacts,
    async fileFor(name) {
      await learned()
      const shown = mask.text(name)
      if (shown === name) return artifacts.fileFor(name)
      const message = `save-as "${shown}" contains a secret, and file names are not masked; nothing was sent`
      throw new RunbookError('InvalidInput', message, { notSent: true })
    },
  }
}

/** The time that an attempt waits for permits and targets. */
interface Waits {
  begin(): void
  end(): void
  /** Undefined if it did not wait. */
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

/** A write in flight is always awaited. */
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
      if (isHttpConnection(client)) throw wrongConnection(action, client)
      ofRun.hideKeys(secretsOf(client))
      return client
    },
    connectHttp:
      request.connection === undefined
        ? undefined
        : async () => {
            const opened = await connect(request.connection)
            if (!isHttpConnection(opened)) throw wrongConnection(action, opened)
            ofRun.hideKeys(opened.secrets)
            return opened
          },
    hide: ofRun.mask.hide,
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
    log: (level, message, data) =>
      report({ type: 'logged', path, attempt, level, message, ...(data === undefined ? {} : { data }) }),
    mask: ofRun.mask,
  })
}

/** The name of a connection that leads to another kind of system than the action calls. */
function wrongConnection({ name }: Action, found: Connected): RunbookError {
  const message = isHttpConnection(found)
    ? `${name} calls the service, and the connection "${found.name}" is of type http`
    : `${name} needs a connection of type http, and this one is of the service`
  return new RunbookError('InvalidInput', message, { notSent: true })
}

/** The answer as it is recorded. An answer that is too large is refused. */
function keptAnswer(
  kept: JsonValue,
  { requestId, warnings }: ActionAnswer,
  waitedMs: number | undefined,
): MadeAttempt {
  const outputText = JSON.stringify(kept)
  const tooLarge = resultTooLarge(Buffer.byteLength(outputText))
  if (tooLarge) throw requestId === undefined ? tooLarge : withRequestId(tooLarge, requestId)
  return {
    result: { status: 'succeeded', output: kept },
    outputText,
    requestId,
    warnings,
    waitedMs,
  }
}

/**
 * An executed create whose output cannot be saved has an unknown outcome: a failure would claim that nothing was done.
 */
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
    const message = `${name} was executed, and its outputs could not be written: ${(cause as Error).message}`
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
