import { createHash } from 'node:crypto'
import type { Plan } from '../core/plan/index.ts'
import type { Child } from './compile/children.ts'

/**
 * The hash of what a plan does. The order of keys, the layout of the file and of its expressions, and comments do not
 * count; the runbooks that it runs do.
 */
export function hashPlan(plan: Omit<Plan, 'hash' | 'text'>, children: readonly Child[]): string {
  const hashes = children.map(({ key, plan: child }) => `${key} ${child?.hash}`).toSorted()
  return createHash('sha256')
    .update([written(plan, false), ...hashes].join('\n'))
    .digest('hex')
}

/**
 * The plan as JSON without what only messages need: where in an expression a part of it stands. The compiler writes the
 * keys of a plan in one order; those of the author's own data are sorted, and all kept, whatever they are called.
 */
function written(value: unknown, isData: boolean): string {
  if (typeof value !== 'object' || value === null) return `${JSON.stringify(value) ?? 'null'},`
  if (!Array.isArray(value)) return writtenMap(value as Readonly<Record<string, unknown>>, isData)
  let text = '['
  for (const item of value) text += written(item, isData)
  return `${text}]`
}

function writtenMap(map: Readonly<Record<string, unknown>>, isData: boolean): string {
  const leftOut = isData ? undefined : 'tree' in map ? 'source' : 'span' in map ? 'span' : undefined
  const keys = Object.keys(map)
  let text = '{'
  for (const key of isData ? keys.sort() : keys) {
    const item = map[key]
    if (item === undefined || key === leftOut) continue
    // The entries of a map in the runbook have no order.
    const isUnordered = !isData && key === 'entries' && map['kind'] === 'object'
    const name = isData ? JSON.stringify(key) : key
    text += `${name}:${written(isUnordered ? sorted(item) : item, isData || holdsData(map, key))}`
  }
  return `${text}}`
}

function holdsData({ kind, language }: Readonly<Record<string, unknown>>, key: string): boolean {
  if (key === 'value') return kind === 'literal' || kind === 'value'
  return language !== undefined && (key === 'inputs' || key === 'labels')
}

function sorted(entries: unknown): unknown {
  return (entries as readonly (readonly [string, unknown])[]).toSorted(([a], [b]) => (a < b ? -1 : 1))
}
