import { createHash } from 'node:crypto'
import type { InputProblem } from '../../core/action.ts'
import type { AttemptResult } from '../../core/calls/index.ts'

import type { Attempted, CallContext, CallRequest } from '../../core/host/index.ts'
import { isJsonObject, type JsonValue } from '../../core/json.ts'
import { resultTooLarge } from '../../core/record/index.ts'
import { errorData } from '../../core/run-error.ts'
import { report, type ScriptedProcess, sleep } from './scripted-process.ts'
import type { ScriptedAction } from './scripted-world.ts'

/** Makes one attempt: it waits, goes out, and is answered, each at its time in the script. */
export async function attempt(
  action: ScriptedAction,
  request: CallRequest,
  { cancellation, onWaiting }: CallContext,
  process: ScriptedProcess,
): Promise<Attempted> {
  const { world, interruption, journal } = process
  const { now } = process.clock
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
  const given = world.answer(request)
  const { result, waitsMs, takesMs, file, isRecorded } = given instanceof Promise ? await given : given

  if (waitsMs > 0) {
    const until = startedAtMs + waitsMs
    report(process, { type: 'waiting', path: request.path, reason: 'budget', until })
    onWaiting(true)
    await sleep(process, until, [cancellation, interruption])
    onWaiting(false)
    waitedMs = now() - startedAtMs
    if (cancellation.reason || interruption.reason) return since(cancelledAttempt({ notSent: true }))
  }

  world.onSent?.(request)
  const isRead = (world.safetyOf?.(request) ?? action.safety) === 'read'
  const limitMs = request.attemptTimeoutMs ?? action.defaultTimeoutMs
  await sleep(process, now() + Math.min(takesMs, limitMs), isRead ? [cancellation, interruption] : [])
  if (isRead && (cancellation.reason || interruption.reason)) return since(cancelledAttempt({}))
  if (takesMs > limitMs) return since(failure('AttemptTimeout', `no answer within ${limitMs} ms`))
  if (result.status === 'failed') return since(result)
  const output = isRecorded ? result.output : save(request, action, result.output, journal.artifacts, file)
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
