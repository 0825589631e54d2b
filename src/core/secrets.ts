import { isJsonObject, type JsonObject, type JsonValue } from './json.ts'
import type { CatchPlan, Plan, SecretPosition, StepPlan } from './plan.ts'

/**
 * The arguments with the value of each secret at its position; the arguments themselves stay as they are. Only what
 * makes the attempt may hold what this answers: never a journal, an event or a hash.
 */
export function withSecrets(
  input: JsonObject,
  positions: readonly SecretPosition[],
  secretOf: (name: string) => string,
): JsonObject {
  return positions.reduce((whole, { path, name }) => withValueAt(whole, path, secretOf(name)), input)
}

function withValueAt(holder: JsonObject, [key = '', ...rest]: readonly string[], value: string): JsonObject {
  const inner: JsonValue | undefined = Object.hasOwn(holder, key) ? holder[key] : undefined
  return {
    ...holder,
    [key]: rest.length === 0 ? value : withValueAt(isJsonObject(inner) ? inner : {}, rest, value),
  }
}

/** The names of all secrets that the steps of a plan read, those of the runbooks it runs included, each once. */
export function secretsOf(plan: Plan): readonly string[] {
  const plans = [plan, ...Object.values(plan.children ?? {})]
  return [...new Set(plans.flatMap(ofBlock))].toSorted()
}

interface Block {
  readonly steps: readonly StepPlan[]
  readonly catch?: readonly CatchPlan[]
  readonly finally?: readonly StepPlan[]
}

function ofBlock({ steps, catch: caught = [], finally: cleanUp = [] }: Block): readonly string[] {
  return [...steps, ...caught.flatMap((entry) => entry.steps), ...cleanUp].flatMap(ofStep)
}

function ofStep(step: StepPlan): readonly string[] {
  const caught = step.catch === undefined ? {} : { catch: step.catch }
  if (step.kind === 'parallel') return ofBlock({ steps: step.branches, ...caught })
  if (step.kind === 'block') return ofBlock(step)
  return [...(step.uses.secrets ?? []).map(({ name }) => name), ...ofBlock({ steps: [], ...caught })]
}
