import {
  evaluateTemplate,
  type KnownScope,
  knownInputs,
  templateEntriesOf,
  unknown,
} from '../expressions/known.ts'
import { type Reference, referencesIn, referencesOf } from '../expressions/references.ts'
import type { Expression, Template } from '../expressions/tree.ts'
import { isSameJson, type JsonObject, type JsonValue } from '../json.ts'

/** Whether a value is the same as before: certainly, certainly not, or only the run can know. */
export type Sameness = 'same' | 'changed' | 'open'

/** What is known on both sides of the changes. */
export interface Sides {
  readonly before: KnownScope
  readonly after: KnownScope
  /** The value at the path is certainly the same as before. */
  isSame(reference: Reference): boolean
}

/** Compares the value of a template before and after the changes. */
export function compareTemplates(
  before: Template | undefined,
  after: Template | undefined,
  sides: Sides,
): Sameness {
  if (!before || !after) return before === after ? 'same' : 'changed'
  if (isSameText(before, after) && referencesOf(after).every(sides.isSame)) return 'same'
  const values = [evaluateTemplate(before, sides.before), evaluateTemplate(after, sides.after)] as const
  const [was, is] = values
  if (was.state === 'known' && is.state === 'known')
    return isSameJson(was.value, is.value) ? 'same' : 'changed'
  return compareParts(before, after, sides)
}

/** One part that has certainly changed is enough to know it of the whole. */
function compareParts(before: Template, after: Template, sides: Sides): Sameness {
  if (before.kind === 'list' && after.kind === 'list') {
    if (before.items.length !== after.items.length) return 'changed'
    return together(before.items.map((item, index) => compareTemplates(item, after.items[index], sides)))
  }
  if (!isMap(before) || !isMap(after)) return 'open'
  const [was, is] = [new Map(templateEntriesOf(before)), new Map(templateEntriesOf(after))]
  const keys = new Set([...was.keys(), ...is.keys()])
  return together([...keys].map((key) => compareTemplates(was.get(key), is.get(key), sides)))
}

function isMap(template: Template): template is Template & { kind: 'object' | 'literal' } {
  if (template.kind === 'object') return true
  if (template.kind !== 'literal') return false
  const { value } = template
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function together(parts: readonly Sameness[]): Sameness {
  if (parts.includes('changed')) return 'changed'
  return parts.includes('open') ? 'open' : 'same'
}

/** Whether a condition says and reads what it did. */
export function isSameCondition(
  before: Expression | undefined,
  after: Expression | undefined,
  { isSame }: Pick<Sides, 'isSame'>,
): boolean {
  if (!before || !after) return before === after
  return isSameText(before, after) && referencesIn(after.tree).every(isSame)
}

/** Whether two parts of plans are the same, at any position in their files. */
export function isSameText(before: unknown, after: unknown): boolean {
  return isSameJson(withoutSource(before, false), withoutSource(after, false))
}

/** Data of the author is kept as it is, whatever its keys are called. */
function withoutSource(value: unknown, isData: boolean): JsonValue {
  if (typeof value !== 'object' || value === null) return (value ?? null) as JsonValue
  if (isData) return value as JsonValue
  if (Array.isArray(value)) return value.map((item) => withoutSource(item, false))
  const { kind } = value as { readonly kind?: unknown }
  const holdsData = kind === 'literal' || kind === 'value'
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) => {
      const isSource = key === 'span' || (key === 'source' && 'tree' in value)
      return isSource || item === undefined ? [] : [[key, withoutSource(item, holdsData && key === 'value')]]
    }),
  )
}

/** What the expressions of a step see, and which of it is known to be the same as before. */
export interface SeenValues {
  /** Of the runbook of the step; undefined: those of a runbook that a step runs, which are not known. */
  readonly inputs: { readonly before: JsonObject; readonly after: JsonObject } | undefined
  readonly sameInputs: boolean
  /** Names such as `item`, and whether their values are the same as before. */
  readonly names: ReadonlyMap<string, boolean>
  /** Steps by their ids, and whether their results are the same as before. */
  readonly steps: ReadonlyMap<string, boolean>
}

/** The values that are known on both sides of the changes. */
export function sidesOf({ inputs, sameInputs, names, steps }: SeenValues): Sides {
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
      // The event that was taken is the one that would be taken again.
      if (root === 'event') return true
      if (root === 'run') return sameRunFields.has(String(first))
      return names.get(root) === true
    },
  }
}

/** What a resume does not change. */
const sameRunFields: ReadonlySet<string> = new Set(['id', 'name', 'started_at', 'callbacks', 'url'])

function isSameInput(
  { before, after }: NonNullable<SeenValues['inputs']>,
  name: string | number | undefined,
): boolean {
  if (name === undefined) return isSameJson(before, after)
  const value = (inputs: JsonObject): JsonValue => [inputs[name] ?? null, Object.hasOwn(inputs, String(name))]
  return isSameJson(value(before), value(after))
}
