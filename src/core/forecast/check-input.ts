import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts'
import type { SecretPosition, UsesPlan } from '../plan.ts'
import type { Evaluated } from './known.ts'
import { addProblem, type ForecastAction, type WalkContext } from './walk-context.ts'

/** Checks arguments that are known before the run against the action's schema and its own rules. */
export function checkInput(
  { secrets = [] }: UsesPlan,
  action: ForecastAction,
  input: Evaluated,
  context: WalkContext,
): void {
  if (input.state === 'unknown') return
  if (input.state === 'failed') {
    addProblem(context, '.with', input.message)
  } else if (!isJsonObject(input.value)) addProblem(context, '.with', 'is not a map')
  else {
    for (const { path, message } of action.checkInput?.(withSecrets(input.value, secrets)) ?? []) {
      const isSecret = secrets.some((secret) => secret.path.join('.') === path)
      if (!isSecret) addProblem(context, path === '' ? '.with' : `.with.${path}`, message)
    }
  }
}

/** The arguments with a word where a secret will stand, so that what is required is there. */
function withSecrets(input: JsonObject, secrets: readonly SecretPosition[]): JsonObject {
  return secrets.reduce((whole, { path }) => withValueAt(whole, path, 'secret'), input)
}

function withValueAt(holder: JsonObject, [key = '', ...rest]: readonly string[], value: string): JsonObject {
  const inner: JsonValue | undefined = holder[key]
  return {
    ...holder,
    [key]: rest.length === 0 ? value : withValueAt(isJsonObject(inner) ? inner : {}, rest, value),
  }
}
