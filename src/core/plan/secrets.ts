import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts'
import type { Plan, SecretPosition } from './plan.ts'

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

/** Every secret that a plan, or a runbook that it runs, names. */
export function secretNames({ secrets = [], children = {} }: Plan): readonly string[] {
  return [...new Set([...secrets, ...Object.values(children).flatMap((child) => child.secrets ?? [])])]
}
