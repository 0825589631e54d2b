import type { Template } from '../expressions/tree.ts'
import { isJsonObject } from '../json.ts'

/** The parts of a template at a path, `*` standing for any key; a part that holds the place is one of them. */
export function partsAt(template: Template, [first, ...rest]: readonly string[]): readonly Template[] {
  if (first === undefined || template.kind === 'expression' || template.kind === 'text') return [template]
  return entriesOf(template)
    .filter(([key]) => first === '*' || first === key)
    .flatMap(([, value]) => partsAt(value, rest))
}

/** The keys of a map with their templates; of a literal map, literals. Nothing for anything else. */
export function entriesOf(template: Template): readonly (readonly [string, Template])[] {
  if (template.kind === 'object') return template.entries
  if (template.kind !== 'literal' || !isJsonObject(template.value)) return []
  return Object.entries(template.value).map(([key, value]) => [key, { kind: 'literal', value }] as const)
}
