import { invalidInput } from '../api/check-input.ts'
import { plainJson } from '../api/plain-json.ts'
import type { JsonObject } from '../core/json.ts'
import type { Mask } from '../core/mask/mask.ts'
import type { SecretPosition } from '../core/plan.ts'
import { errorData, RunbookError } from '../core/run-error.ts'
import { withSecrets } from '../core/secrets.ts'
import type { Action, ActionAnswer, ActionContext, ActionLog } from './action.ts'
import type { RunSecrets } from './run-secrets.ts'

/**
 * Checks the arguments and makes one attempt. Only the action gets the values of secrets. Its answer, its log and its
 * error hold no secret of the run. Throws a `RunbookError`, as the action does.
 */
export async function runWithSecrets(
  action: Action,
  input: JsonObject,
  positions: readonly SecretPosition[],
  secrets: RunSecrets,
  context: ActionContext,
): Promise<ActionAnswer> {
  const { mask } = secrets
  await secrets.learned()
  const values = new Map<string, string>()
  for (const { name } of positions) values.set(name, await secrets.resolve(name))
  const whole = withSecrets(input, positions, (name) => values.get(name) ?? '')
  try {
    const problems = action.checkInput(whole)
    if (problems.length > 0) throw invalidInput(action.name, problems)
    return maskedAnswer(await action.run(whole, { ...context, log: maskedLog(context.log, mask) }), mask)
  } catch (thrown) {
    throw maskedError(thrown, mask)
  }
}

function maskedAnswer({ output, requestId, warnings = [] }: ActionAnswer, mask: Mask): ActionAnswer {
  let isHeld = false
  const masked = mask.value(output, () => {
    isHeld = true
  })
  return {
    output: masked,
    warnings: [
      ...warnings.map(mask.inErrors.text),
      ...(isHeld ? ['the answer held a secret of the run: masked'] : []),
    ],
    ...(requestId === undefined ? {} : { requestId: mask.inErrors.text(requestId) }),
  }
}

/** The error without the secrets, and without its cause, which can hold anything. */
function maskedError(thrown: unknown, { inErrors }: Mask): RunbookError {
  const { code, message, requestId, details, ...rest } = errorData(thrown)
  return new RunbookError(code, inErrors.text(message), {
    ...rest,
    ...(requestId === undefined ? {} : { requestId: inErrors.text(requestId) }),
    ...(details === undefined ? {} : { details: inErrors.value(details) }),
    endsRun: RunbookError.is(thrown) && thrown.endsRun,
  })
}

function maskedLog(log: ActionLog, mask: Mask): ActionLog {
  const masked =
    (level: keyof ActionLog): ActionLog[keyof ActionLog] =>
    (message, data) => {
      const plain = data === undefined ? undefined : mask.value(plainJson(data).value)
      log[level](mask.text(String(message)), plain)
    }
  return { debug: masked('debug'), info: masked('info'), warn: masked('warn'), error: masked('error') }
}
