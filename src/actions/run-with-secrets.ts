import { invalidInput } from '../api/check-input.ts'
import { createKeyMask } from '../api/mask-key.ts'
import { plainJson } from '../api/plain-json.ts'
import { createScrubber } from '../api/scrub.ts'
import type { JsonObject, JsonValue } from '../core/json.ts'
import type { SecretPosition } from '../core/plan.ts'
import { errorData, RunbookError } from '../core/run-error.ts'
import { withSecrets } from '../core/secrets.ts'
import type { Action, ActionAnswer, ActionContext, ActionLog } from './action.ts'
import { resolveSecret, type SecretStore } from './secret-store.ts'

/**
 * Checks the arguments and makes one attempt. The values of secrets are put in here, go to the action alone, and come
 * back in nothing that it answers, logs or fails with. Throws a `RunbookError`, as the action does.
 */
export function runWithSecrets(
  action: Action,
  input: JsonObject,
  positions: readonly SecretPosition[],
  store: SecretStore,
  context: ActionContext,
): Promise<ActionAnswer> {
  return positions.length === 0
    ? checkAndRun(action, input, context)
    : runWithValues(action, input, positions, store, context)
}

async function runWithValues(
  action: Action,
  input: JsonObject,
  positions: readonly SecretPosition[],
  store: SecretStore,
  context: ActionContext,
): Promise<ActionAnswer> {
  const values = new Map<string, string>()
  for (const { name } of positions) values.set(name, await resolveSecret(name, store))
  // The longest first: one can be a part of another.
  const secrets = [...values.values()].sort((one, other) => other.length - one.length)
  const whole = withSecrets(input, positions, (name) => values.get(name) ?? '')
  try {
    const log = maskedLog(context.log, secrets)
    return maskedAnswer(await checkAndRun(action, whole, { ...context, log }), secrets)
  } catch (thrown) {
    throw scrubbedError(thrown, secrets)
  }
}

async function checkAndRun(action: Action, input: JsonObject, context: ActionContext): Promise<ActionAnswer> {
  const problems = action.checkInput(input)
  if (problems.length > 0) throw invalidInput(action.name, problems)
  return await action.run(input, context)
}

function maskedAnswer(
  { output, requestId, warnings = [] }: ActionAnswer,
  secrets: readonly string[],
): ActionAnswer {
  const { text } = createScrubber(secrets)
  const masked = withoutSecrets(output, secrets)
  const more = masked.isChanged ? ['the answer held a secret of the step: masked'] : []
  return {
    output: masked.value,
    warnings: [...warnings.map(text), ...more],
    ...(requestId === undefined ? {} : { requestId: text(requestId) }),
  }
}

function withoutSecrets(
  value: JsonValue,
  secrets: readonly string[],
): { readonly value: JsonValue; readonly isChanged: boolean } {
  let masked = value
  let isChanged = false
  for (const secret of secrets) {
    const one = createKeyMask(secret)(masked, JSON.stringify(masked))
    isChanged ||= one.paths.length > 0
    masked = one.value
  }
  return { value: masked, isChanged }
}

/** The error without the secrets, and without its cause, which can hold anything. */
function scrubbedError(thrown: unknown, secrets: readonly string[]): RunbookError {
  const { text, json } = createScrubber(secrets)
  const { code, message, requestId, details, ...rest } = errorData(thrown)
  return new RunbookError(code, text(message), {
    ...rest,
    ...(requestId === undefined ? {} : { requestId: text(requestId) }),
    ...(details === undefined ? {} : { details: json(details) }),
    endsRun: RunbookError.is(thrown) && thrown.endsRun,
  })
}

function maskedLog(log: ActionLog, secrets: readonly string[]): ActionLog {
  const masked =
    (level: keyof ActionLog): ActionLog[keyof ActionLog] =>
    (message, data) => {
      const plain = data === undefined ? undefined : withoutSecrets(plainJson(data).value, secrets).value
      log[level](String(withoutSecrets(String(message), secrets).value), plain)
    }
  return { debug: masked('debug'), info: masked('info'), warn: masked('warn'), error: masked('error') }
}
