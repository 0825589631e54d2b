import { isJsonObject, type JsonObject, type JsonSchema, type JsonValue } from '../core/json.ts'
import { createMask, type Mask, secretMark } from '../core/mask/index.ts'
import { type SecretPosition, withSecrets } from '../core/plan/index.ts'
import { errorData, RunbookError } from '../core/run-error.ts'
import type { Action, ActionAnswer, ActionContext, LogLine } from './action.ts'
import { resolveSecret, type SecretStore } from './secret-store.ts'

/** The secrets of one run. No answer of its attempts contains any of them, whichever step names them. */
export interface RunSecrets {
  /** Hides every secret that the run has read, or could read. */
  readonly mask: Mask
  /** Hides what a connection signs its requests with. */
  hideKeys(keys: readonly string[]): void
  /** Hides sensitive inputs, but for those so short that they are in many answers by chance. */
  hideInputs(values: readonly string[]): void
  /** The value of a secret, hidden from now on. Rejects with `MissingSecret`. */
  resolve(name: string): Promise<string>
  /** Resolves once every secret of the run is hidden, and those of the project around it. */
  learned(): Promise<void>
}

/**
 * The secrets that a run with these names can read, and its sensitive inputs. The values of secrets are looked up when the
 * first attempt is made.
 */
export function createRunSecrets(
  store: SecretStore,
  names: readonly string[],
  inputs: readonly string[] = [],
): RunSecrets {
  const mask = createMask([], secretMark)
  const hideInputs = (values: readonly string[]): void => {
    for (const value of values.filter(isLongEnough)) mask.hide(value)
  }
  hideInputs(inputs)
  const keysOfConnections = new WeakSet<readonly string[]>()
  const resolve = async (name: string): Promise<string> => {
    const value = await resolveSecret(name, store)
    mask.hide(value)
    return value
  }
  const learnAll = async (): Promise<void> => {
    // A secret without a value, such as that of a skipped step, is in no answer.
    await Promise.allSettled(names.map(resolve))
    for (const value of (await store.others?.()) ?? []) mask.hide(value)
  }
  let learning: Promise<void> | undefined
  return {
    mask,
    hideKeys(keys) {
      // Each attempt asks for its connection. To learn its keys takes an eighth of the time that a step costs.
      if (keysOfConnections.has(keys)) return
      keysOfConnections.add(keys)
      for (const key of keys) mask.hide(key)
    },
    hideInputs,
    resolve,
    learned() {
      learning ??= learnAll().catch((cause: unknown) => {
        learning = undefined
        const message = 'the secrets of the project cannot be looked up, and so not be hidden'
        throw new RunbookError('MissingSecret', message, { notSent: true, cause })
      })
      return learning
    },
  }
}

/** A shorter input, such as a count, occurs in many answers by chance. */
const leastCharacters = 4

function isLongEnough(value: string): boolean {
  return value.length >= leastCharacters
}

/** A worker keeps the masks of this many runs. An older run looks its secrets up again. */
const mostRuns = 200

/** The secrets of the runs that a worker makes attempts for, by the ids of the runs. */
export function createSecretsOfRuns(
  store: SecretStore,
): (runId: string, names: readonly string[], inputs?: readonly string[]) => RunSecrets {
  const known = new Map<string, RunSecrets>()
  return (runId, names, inputs = []) => {
    // A run that was changed can name others.
    const key = JSON.stringify([runId, names])
    const secrets = known.get(key) ?? createRunSecrets(store, names)
    secrets.hideInputs(inputs)
    known.delete(key)
    known.set(key, secrets)
    const [oldest] = known.keys()
    if (known.size > mostRuns && oldest !== undefined) known.delete(oldest)
    return secrets
  }
}

/**
 * Makes one attempt. Only the action gets the values of secrets. Its answer, its log and its error hold no secret of
 * the run. Throws a `RunbookError`, as the action does.
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
  const whole = positions.length === 0 ? input : await resolveAll(input, positions, secrets)
  const log: LogLine = (level, message, data) =>
    context.log(level, mask.text(message), data === undefined ? undefined : mask.value(data))
  try {
    return maskedAnswer(await action.run(whole, { ...context, log }), mask, namesIn(action.output))
  } catch (thrown) {
    throw maskedError(thrown, mask)
  }
}

async function resolveAll(
  input: JsonObject,
  positions: readonly SecretPosition[],
  secrets: RunSecrets,
): Promise<JsonObject> {
  const values = new Map<string, string>()
  for (const { name } of positions) values.set(name, await secrets.resolve(name))
  return withSecrets(input, positions, (name) => values.get(name) ?? '')
}

const namesOf = new WeakMap<JsonSchema, ReadonlySet<string>>()

/** The names of the fields that a schema declares, at any depth. */
function namesIn(schema: JsonSchema): ReadonlySet<string> {
  const known = namesOf.get(schema)
  if (known) return known
  const names = new Set<string>()
  const collect = (part: JsonValue): void => {
    if (Array.isArray(part)) part.forEach(collect)
    if (!isJsonObject(part)) return
    for (const [keyword, value] of Object.entries(part)) {
      if (keyword === 'properties' && isJsonObject(value))
        for (const name of Object.keys(value)) names.add(name)
      collect(value)
    }
  }
  collect(schema as JsonValue)
  namesOf.set(schema, names)
  return names
}

function maskedAnswer(
  { output, requestId, warnings = [] }: ActionAnswer,
  mask: Mask,
  names: ReadonlySet<string>,
): ActionAnswer {
  let isHeld = false
  const masked = mask.value(output, {
    names,
    onMasked() {
      isHeld = true
    },
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
