import { isJsonObject } from '../json.ts'
import type { UsesPlan } from '../plan.ts'
import { withSecrets } from '../secrets.ts'
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
    // A word stands where a secret will, so that what is required is there.
    const whole = withSecrets(input.value, secrets, () => 'secret')
    for (const { path, message } of action.checkInput?.(whole) ?? []) {
      const isSecret = secrets.some((secret) => secret.path.join('.') === path)
      if (!isSecret) addProblem(context, path === '' ? '.with' : `.with.${path}`, message)
    }
  }
}
