import { joinSignals } from '../../api/join-signals.ts'
import { plainJson } from '../../api/plain-json.ts'
import { schemaProblems } from '../../api/schema-problems.ts'
import { formatDuration } from '../../core/duration.ts'
import { isJsonObject, type JsonObject } from '../../core/json.ts'
import { RunbookError } from '../../core/run-error.ts'
import type { ActionAnswer, ActionContext } from '../action.ts'
import { compileSchema } from './compile-schema.ts'
import type { ActionRunContext, AnyDefinition } from './definition.ts'
import { ownError } from './own-error.ts'

/** The time for one attempt where nothing else is said. */
export const usualTimeoutMs = 30_000
/** Longer ones would end at once. */
const longestTimerMs = 2 ** 31 - 1

/** Makes one attempt: in its time, with an answer that fits, and whatever it throws as an error of the run. */
export async function runOwnAction(
  definition: AnyDefinition,
  input: JsonObject,
  context: ActionContext,
): Promise<ActionAnswer> {
  const { timeoutMs = usualTimeoutMs, name } = definition
  const allowedMs = context.timeoutMs ?? timeoutMs
  // What it sends, and when, is its own: anything from here on can be sent.
  if (definition.safety === 'create') await context.beforeSending()
  const stop = new AbortController()
  // Not AbortSignal.timeout: its timer would let the process end while nothing but the action is waited for.
  const timer = setTimeout(() => stop.abort(), Math.min(allowedMs, longestTimerMs))
  const { signal = stop.signal, release } = joinSignals(context.signal, stop.signal)
  try {
    return answerOf(definition, await untilAborted(definition, input, { ...context, signal }))
  } catch (thrown) {
    if (stop.signal.aborted) {
      const message = `${name} did not end within ${formatDuration(allowedMs)}`
      throw new RunbookError('AttemptTimeout', message, { cause: thrown })
    }
    throw thrown
  } finally {
    clearTimeout(timer)
    release()
  }
}

/** What the action answers; an action that does not listen to its signal is left behind. */
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
    log,
    ...(saveAs === undefined ? {} : { saveAs }),
  }
  return new Promise((resolve, reject) => {
    const giveUp = (): void => reject(new RunbookError('Cancelled', `${definition.name} was given up`))
    if (signal.aborted) return giveUp()
    signal.addEventListener('abort', giveUp, { once: true })
    // In a function of its own, so that what it throws before its first promise is caught as well.
    const run = async (): Promise<unknown> => definition.run(input, own)
    run()
      .then(resolve, (thrown) => reject(ownError(definition.name, thrown)))
      // A signal with a listener is kept for good.
      .finally(() => signal.removeEventListener('abort', giveUp))
  })
}

function answerOf({ name, output }: AnyDefinition, answer: unknown): ActionAnswer {
  const { value, problems } = plainJson(answer ?? {})
  const validate = compileSchema(output)
  const broken =
    problems.length > 0 || validate(value) ? problems : schemaProblems(validate.errors ?? [], value)
  if (broken.length > 0 || !isJsonObject(value)) {
    const list = broken.map(({ path, message }) => `${path === '' ? 'the whole' : path} ${message}`)
    throw new RunbookError('InvalidAnswer', `the outputs of ${name} do not fit: ${list.join('; ')}`)
  }
  return { output: value }
}
