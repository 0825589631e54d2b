import { createHash } from 'node:crypto'
import type { Plan } from '../core/plan.ts'
import type { Child } from './compile/children.ts'

/**
 * The hash of what a plan does. The order of keys, the layout of the file and of its expressions, and comments do not
 * count; the runbooks that it runs do.
 */
export function hashPlan(plan: Omit<Plan, 'hash'>, children: readonly Child[]): string {
  const hashes = children.map(({ key, plan: child }) => `${key} ${child?.hash}`).toSorted()
  return createHash('sha256')
    .update([canonical(plan), ...hashes].join('\n'))
    .digest('hex')
}

/**
 * JSON with the keys in order, without what only messages need: where in an expression a part of it stands. Data of
 * the author's own is kept as it is, whatever its keys are called.
 */
function canonical(value: unknown, isData = false): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item, isData)).join()}]`
  const map = value as Readonly<Record<string, unknown>>
  const leftOut = isData ? undefined : 'tree' in map ? 'source' : 'span' in map ? 'span' : undefined
  let text = ''
  for (const key of Object.keys(map).sort()) {
    const item = map[key]
    if (item === undefined || key === leftOut) continue
    const isOwn = isData || holdsData(map, key)
    text += `${JSON.stringify(key)}:${canonical(isEntries(map, key) && !isData ? sorted(item) : item, isOwn)},`
  }
  return `{${text}}`
}

function holdsData({ kind, language }: Readonly<Record<string, unknown>>, key: string): boolean {
  if (key === 'value') return kind === 'literal' || kind === 'value'
  return language !== undefined && (key === 'inputs' || key === 'labels')
}

/** The entries of a map in the runbook have no order. */
function isEntries({ kind }: Readonly<Record<string, unknown>>, key: string): boolean {
  return kind === 'object' && key === 'entries'
}

function sorted(entries: unknown): unknown {
  return (entries as readonly (readonly [string, unknown])[]).toSorted(([a], [b]) => (a < b ? -1 : 1))
}
