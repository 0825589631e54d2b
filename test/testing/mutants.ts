import { parse, stringify } from 'yaml'

/** A runbook with one change that its tests should notice. */
export interface Mutant {
  readonly what: string
  readonly text: string
}

type Node = Record<string, unknown>

interface Change {
  readonly what: string
  apply(document: Node): void
}

/** Changes conditions, tolerances, clean-up, the handling of errors, and the order of steps, one at a time. */
export function mutantsOf(text: string): readonly Mutant[] {
  const read = (): Node => JSON.parse(JSON.stringify(parse(text))) as Node
  return changesAt(read(), []).map(({ what, apply }) => {
    const document = read()
    apply(document)
    return { what, text: stringify(document, { lineWidth: 0 }) }
  })
}

const conditions = ['if', 'when', 'until', 'that']
const lists = ['steps', 'finally', 'parallel']

function changesAt(value: unknown, path: readonly (string | number)[]): readonly Change[] {
  if (typeof value !== 'object' || value === null) return []
  const set = (key: string | number, made: unknown, how: string): Change => ({
    what: `${[...path, key].join('.')}: ${how}`,
    apply(document) {
      const holder = path.reduce<unknown>((at, part) => (at as Node)[part], document) as Node
      if (made === undefined) Array.isArray(holder) ? holder.splice(Number(key), 1) : delete holder[key]
      else holder[key] = made
    },
  })
  const own = Object.entries(value).flatMap(([key, inner]): readonly Change[] => {
    if (isOfSchema(path, key)) return []
    if (conditions.includes(key)) return changesOfCondition(key, inner, set)
    if (key === 'tolerate')
      return [set(key, undefined, 'removed'), ...(inner === 'all' ? [] : [set(key, 'all', 'all')])]
    if (key === 'then' || key === 'continue-on-error' || key === 'catch')
      return [set(key, undefined, 'removed')]
    if (key === 'errors' && path.includes('catch')) return [set(key, ['NoLicense'], 'another code')]
    if (key === 'except' || key === 'errors') return [set(key, undefined, 'removed')]
    if (key === 'attempts') return [set(key, 1, 'one')]
    if (key === 'on-timeout' || key === 'on-reject')
      return [set(key, inner === 'continue' ? undefined : 'continue', 'changed')]
    if (lists.includes(key) && Array.isArray(inner)) return changesOfList(key, inner, set)
    return []
  })
  const inside = Object.entries(value).flatMap(([key, inner]) =>
    isOfSchema(path, key) ? [] : changesAt(inner, [...path, Array.isArray(value) ? Number(key) : key]),
  )
  return [...own, ...inside]
}

/** Inputs and triggers start a run, and are no part of it. Arguments have keys of their own. */
function isOfSchema(path: readonly (string | number)[], key: string): boolean {
  if (path.length === 0) return ['inputs', 'triggers'].includes(key)
  return key === 'with' && path.at(-1) !== 'retry'
}

type SetValue = (key: string | number, made: unknown, how: string) => Change

function changesOfCondition(key: string, inner: unknown, set: SetValue): readonly Change[] {
  if (typeof inner !== 'string') return []
  const expression = inner
    .trim()
    .replace(/^\$\{\{|\}\}$/g, '')
    .trim()
  const always = key === 'until' ? [] : [set(key, `\${{ false }}`, 'false')]
  return [set(key, `\${{ true }}`, 'true'), ...always, set(key, `\${{ !(${expression}) }}`, 'negated')]
}

function changesOfList(key: string, inner: readonly unknown[], set: SetValue): readonly Change[] {
  const removed = inner.map((_, index) => set(key, inner.toSpliced(index, 1), `without ${index}`))
  const swapped = inner
    .slice(1)
    .map((item, index) =>
      set(key, inner.toSpliced(index, 2, item, inner[index]), `${index} and ${index + 1} swapped`),
    )
  return [...removed, ...(key === 'parallel' ? [] : swapped)]
}
