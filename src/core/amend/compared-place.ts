import { isSameJson } from '../canonical-text.ts'
import { type KnownScope, knownInputs, unknown } from '../forecast/known.ts'
import type { Reference } from '../forecast/references.ts'
import type { JsonObject, JsonValue } from '../json.ts'
import type { Sides } from './compare-templates.ts'

/** What the expressions of a place see, as far as it is known whether it is what it was. */
export interface Place {
  /** Of the runbook that the place is in; undefined: those of another runbook, which are not known. */
  readonly inputs: { readonly before: JsonObject; readonly after: JsonObject } | undefined
  readonly sameInputs: boolean
  /** Names such as `item`, and whether they stand for what they stood for. */
  readonly names: ReadonlyMap<string, boolean>
  /** Steps by their ids, and whether they came to what they came to. */
  readonly steps: ReadonlyMap<string, boolean>
}

/** What of it is known on both sides of the amendment. */
export function sidesOf({ inputs, sameInputs, names, steps }: Place): Sides {
  const others = ['steps', 'run', 'error', 'outputs', 'index', ...names.keys()]
  const open = Object.fromEntries(others.map((name) => [name, unknown] as const))
  const scope = (given: JsonObject | undefined): KnownScope => ({
    ...open,
    inputs: given ? knownInputs(given, []) : unknown,
  })
  return {
    before: scope(inputs?.before),
    after: scope(inputs?.after),
    isSame([root, first]: Reference) {
      if (root === 'inputs') return inputs ? isSameInput(inputs, first) : sameInputs
      if (root === 'steps') return typeof first === 'string' && steps.get(first) === true
      if (root === 'run') return first === 'id' || first === 'name' || first === 'started_at'
      return names.get(root) === true
    },
  }
}

function isSameInput(
  { before, after }: NonNullable<Place['inputs']>,
  name: string | number | undefined,
): boolean {
  if (name === undefined) return isSameJson(before, after)
  const value = (inputs: JsonObject): JsonValue => [inputs[name] ?? null, Object.hasOwn(inputs, String(name))]
  return isSameJson(value(before), value(after))
}
