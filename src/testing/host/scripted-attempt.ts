import { createHash } from 'node:crypto'
import type { ActionDescription, InputProblem, Safety } from '../../core/action.ts'
import type { AttemptResult } from '../../core/calls/index.ts'
import type { RunEvent } from '../../core/events.ts'
import type { Attempted, CallContext, CallRequest, Cancellation } from '../../core/host/index.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts'
import { resultTooLarge } from '../../core/record/index.ts'
import { errorData } from '../../core/run-error.ts'

/** What the world does with one attempt. */
export interface WorldAnswer {
  readonly result: AttemptResult
  /** From sending to the answer, in milliseconds. */
  readonly takesMs: number
  /** For the rate limit, before it is sent, in milliseconds. */
  readonly waitsMs: number
  /** Content of the file that the action writes. */
  readonly file?: string
  /** The output is a recorded one: its file was made then. @default a file is made where the step wants one */
  readonly isRecorded?: true
}

/** An action as a scripted host knows it. */
export interface ScriptedAction extends ActionDescription {
  /** The safety of a call, where its arguments decide. @default that of the action */
  safetyOf?(request: CallRequest): Safety
  checkInput?(input: JsonObject): readonly InputProblem[]
}

/** What an attempt meets. */
export interface ScriptedPorts {
  answer(request: CallRequest): WorldAnswer | Promise<WorldAnswer>
  /** Told when the request goes out. */
  onSent?: ((request: CallRequest) => void) | undefined
  now(): number
  /** Ends at that time, or once one of these is cancelled. */
  sleep(timeMs: number, enders: readonly Cancellation[]): Promise<void>
  /** The process is to stop: what changes nothing is abandoned. */
  readonly interruption: Cancellation
  readonly artifacts: Map<string, string>
  report(event: RunEvent): void
}

/** Makes one attempt: it waits for its turn, goes out, and is answered, each at its time in the script. */
export async function attempt(
  action: ScriptedAction,
  request: CallRequest,
  { cancellation, onWaiting }: CallContext,
  ports: ScriptedPorts,
): Promise<Attempted> {
  const { interruption, now, sleep } = ports
  const startedAtMs = now()
  let waitedMs = 0
  const since = (result: AttemptResult): Attempted => ({
    ...result,
    startedAtMs,
    endedAtMs: now(),
    ...(waitedMs > 0 ? { waitedMs } : {}),
  })
  const problems = action.checkInput?.(request.input) ?? []
  if (problems.length > 0) return since(invalid(problems))
  const given = ports.answer(request)
  const { result, waitsMs, takesMs, file, isRecorded } = given instanceof Promise ? await given : given

  if (waitsMs > 0) {
    const until = startedAtMs + waitsMs
    ports.report({ type: 'waiting', path: request.path, reason: 'budget', until })
    onWaiting(true)
    await sleep(until, [cancellation, interruption])
    onWaiting(false)
    waitedMs = now() - startedAtMs
    if (cancellation.reason || interruption.reason) return since(cancelledAttempt({ notSent: true }))
  }

  ports.onSent?.(request)
  const isRead = (action.safetyOf?.(request) ?? action.safety) === 'read'
  const limitMs = request.attemptTimeoutMs ?? action.defaultTimeoutMs
  await sleep(now() + Math.min(takesMs, limitMs), isRead ? [cancellation, interruption] : [])
  if (isRead && (cancellation.reason || interruption.reason)) return since(cancelledAttempt({}))
  if (takesMs > limitMs) return since(failure('AttemptTimeout', `no answer within ${limitMs} ms`))
  if (result.status === 'failed') return since(result)
  const output = isRecorded ? result.output : save(request, action, result.output, ports.artifacts, file)
  const tooLarge = resultTooLarge(Buffer.byteLength(JSON.stringify(output)))
  return since(tooLarge ? { status: 'failed', error: errorData(tooLarge) } : { status: 'succeeded', output })
}

/** The attempt was abandoned, and can be made again. */
export function cancelledAttempt(more: { readonly notSent?: boolean }): AttemptResult {
  return failure('Cancelled', 'given up', more)
}

function failure(code: string, message: string, more: { readonly notSent?: boolean } = {}): AttemptResult {
  return { status: 'failed', error: { code, message, ...more } }
}

function invalid(problems: readonly InputProblem[]): AttemptResult {
  const message = problems.map((problem) => `${problem.path} ${problem.message}`).join('; ')
  return failure('InvalidInput', message, { notSent: true })
}

/** What is left of an output when a file is made of it, or with it. */
function save(
  { input, saveAs }: CallRequest,
  { name, savesFile }: ScriptedAction,
  output: JsonValue,
  artifacts: Map<string, string>,
  exported = 'exported',
): JsonValue {
  if (saveAs === undefined) return output
  const content = name === 'core/write' ? input['content'] : savesFile === 'always' ? exported : output
  const text = typeof content === 'string' ? content : JSON.stringify(content)
  artifacts.set(saveAs, text)
  const file = {
    path: saveAs,
    bytes: Buffer.byteLength(text),
    sha256: createHash('sha256').update(text).digest('hex'),
  }
  return savesFile === 'always' && isJsonObject(output) ? { ...output, ...file } : file
}
