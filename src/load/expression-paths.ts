import type { JsonPath } from './json-path.ts'
import { hasExpression } from './segments.ts'

/** Where expressions stand in a value, which is at the path. */
export function expressionPaths(value: unknown, path: JsonPath): readonly JsonPath[] {
  if (typeof value === 'string') return value.includes('${{') && hasExpression(value) ? [path] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, item]) =>
    expressionPaths(item, [...path, Array.isArray(value) ? Number(key) : key]),
  )
}
