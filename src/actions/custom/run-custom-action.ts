import { apiProblems, plainJson } from '../../api/validation/index.ts'
import { safetyOf, usualTimeoutMs } from '../../core/action.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts'
import { RunbookError } from '../../core/run-error.ts'
import { formatDuration } from '../../core/times/index.ts'
import type { ActionAnswer, ActionContext, ActionLog, LogLine } from '../action.ts'
import { createDeadline } from '../deadline.ts'
import { compileSchema } from './compile-schema.ts'
import type { ActionRunContext, AnyDefinition } from './definition.ts'
import { isOwnCode } from './definition-problems.ts'

/** Makes one attempt within its time limit, checks its answer, and makes any error one of the run. */
export async function runOwnAction(
  definition: AnyDefinition,
  input: JsonObject,
  context: ActionContext,
): Promise<ActionAnswer> {
  const { timeoutMs = usualTimeoutMs, name } = definition
  const allowedMs = context.timeoutMs ?? timeoutMs
  // The action can send anything from here on.
  if (safetyOf(definition, input) === 'create') await context.beforeSending()
  const deadline = createDeadline(allowedMs, context.signal)
  try {
    return answerOf(
      definition,
      await untilAborted(definition, input, { ...context, signal: deadline.signal }),
    )
  } catch (thrown) {
    if (deadline.reason === 'timeout') {
      const message = `${name} did not end within ${formatDuration(allowedMs)}`
      throw new RunbookError('AttemptTimeout', message, { cause: thrown })
    }
    throw thrown
  } finally {
    deadline.release()
  }
}

/** The answer of the action; one that ignores its signal is abandoned. */
function untilAborted(
  definition: AnyDefinition,
  input: JsonObject,
  context: ActionContext,
): Promise<unknown> {
  const { signal, attempt, artifacts, saveAs, log } = context
  const own: ActionRunContext = {
    signal,
    attempt,
    artifacts,
    log: createActionLog(log),
    ...(saveAs === undefined ? {} : { saveAs }),
  }
  return new Promise((resolve, reject) => {
    const giveUp = (): void =>
      reject(new RunbookError('Cancelled', `${definition.name} was cancelled, and its result is not awaited`))
    if (signal.aborted) return giveUp()
    signal.addEventListener('abort', giveUp, { once: true })
    // In a function of its own, so that what it throws before its first promise is caught as well.
    const run = async (): Promise<unknown> => definition.run(input, own)
    run()
      .then(resolve, (thrown) => reject(ownError(definition.name, thrown)))
      // A signal with a listener is never garbage-collected.
      .finally(() => signal.removeEventListener('abort', giveUp))
  })
}

/** The log as authors use it. Their code may be plain JavaScript, which writes whatever it has. */
function createActionLog(write: LogLine): ActionLog {
  const at =
    (level: keyof ActionLog): ActionLog[keyof ActionLog] =>
    (message, data) => {
      write(level, String(message), data === undefined ? undefined : plainJson(data).value)
    }
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

function answerOf({ name, output }: AnyDefinition, answer: unknown): ActionAnswer {
  const { value, problems } = plainJson(answer ?? {})
  const validate = compileSchema(output)
  const broken = problems.length > 0 || validate(value) ? problems : apiProblems(validate.errors ?? [], value)
  if (broken.length > 0 || !isJsonObject(value)) {
    const list = broken.map(({ path, message }) => `${path === '' ? 'the whole' : path} ${message}`)
    throw new RunbookError('InvalidAnswer', `the outputs of ${name} do not fit: ${list.join('; ')}`)
  }
  return { output: value }
}

/** The error of a custom action as an error of the run. Never throws. */
function ownError(action: string, thrown: unknown): RunbookError {
  try {
    return convert(action, thrown)
  } catch {
    return new RunbookError('ActionFailed', `${action} threw something that cannot be read`)
  }
}

function convert(action: string, thrown: unknown): RunbookError {
  if (!(thrown instanceof Error) && !isErrorLike(thrown))
    return new RunbookError('ActionFailed', `${action} threw ${String(thrown)}`)
  const fields = thrown as Partial<Record<keyof RunbookError, unknown>>
  const { message, code, retryAfterMs, requestId, notSent, details } = fields
  return new RunbookError(
    isOwnCode(code) ? code : 'ActionFailed',
    withReason(String(message), fields) || `${action} failed`,
    {
      cause: thrown,
      ...(typeof retryAfterMs === 'number' && retryAfterMs >= 0 ? { retryAfterMs } : {}),
      ...(typeof requestId === 'string' ? { requestId } : {}),
      ...(notSent === true ? { notSent } : {}),
      ...(details === undefined ? {} : plainDetails(details)),
    },
  )
}

/** The message with that of the cause: of `fetch failed`, only the cause says why. */
function withReason(message: string, { cause }: { readonly cause?: unknown }): string {
  if (typeof cause !== 'object' || cause === null) return message
  const { message: reason, code } = cause as { readonly message?: unknown; readonly code?: unknown }
  // Of an attempt with several addresses, the cause has only a code.
  const [why] = [reason, code].filter((one) => typeof one === 'string' && one !== '')
  return why === undefined || message.includes(String(why)) ? message : `${message}: ${why}`
}

/** An error of another realm, such as one of a test runner. */
function isErrorLike(thrown: unknown): boolean {
  return typeof thrown === 'object' && thrown !== null && 'message' in thrown
}

function plainDetails(details: unknown): { readonly details?: JsonValue } {
  const { value, problems } = plainJson(details)
  return problems.length === 0 ? { details: value } : {}
}
