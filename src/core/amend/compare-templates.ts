import { isSameJson } from '../canonical-text.ts'
import type { Expression, Template } from '../expressions/tree.ts'
import { evaluateTemplate, type KnownScope } from '../forecast/known.ts'
import { type Reference, referencesIn, referencesOf } from '../forecast/references.ts'
import { entriesOf } from '../forecast/template-parts.ts'
import type { JsonValue } from '../json.ts'

/** Whether a value is what it was: certainly, certainly not, or only the run can tell. */
export type Sameness = 'same' | 'changed' | 'open'

/** What is known on both sides of an amendment. */
export interface Sides {
  readonly before: KnownScope
  readonly after: KnownScope
  /** What the path stands for is certainly what it was. */
  isSame(reference: Reference): boolean
}

/** Compares what a value of a runbook comes to before and after an amendment. */
export function compareTemplates(
  before: Template | undefined,
  after: Template | undefined,
  sides: Sides,
): Sameness {
  if (!before || !after) return before === after ? 'same' : 'changed'
  if (isSameText(before, after) && referencesOf(after).every(sides.isSame)) return 'same'
  const values = [evaluateTemplate(before, sides.before), evaluateTemplate(after, sides.after)] as const
  const [was, is] = values
  if (was.state === 'known' && is.state === 'known') {
    return isSameJson(was.value, is.value) ? 'same' : 'changed'
  }
  return compareParts(before, after, sides)
}

/** One part that has certainly changed is enough to know it of the whole. */
function compareParts(before: Template, after: Template, sides: Sides): Sameness {
  if (before.kind === 'list' && after.kind === 'list') {
    if (before.items.length !== after.items.length) return 'changed'
    return together(before.items.map((item, index) => compareTemplates(item, after.items[index], sides)))
  }
  if (!isMap(before) || !isMap(after)) return 'open'
  const [was, is] = [new Map(entriesOf(before)), new Map(entriesOf(after))]
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

/** Whether two parts of plans say the same, wherever they stand in their files. */
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
