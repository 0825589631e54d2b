import { expect } from 'vitest'

/** The pattern that a text such as `/^a2a_/` is. */
export function patternOf(text: string): RegExp {
  return new RegExp(text.slice(1, -1))
}

/** The same with patterns in the places of texts such as `/^a2a_/`. */
export function matching(value: unknown): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value as object)
      .filter(([, item]) => item !== undefined)
      .map(([name, item]) => [name, matcherOf(item)]),
  )
}

function matcherOf(item: unknown): unknown {
  if (typeof item === 'string' && /^\/.*\/$/s.test(item)) return expect.stringMatching(patternOf(item))
  return typeof item === 'object' && item !== null && !Array.isArray(item) ? matching(item) : item
}

/** Maps inside it match as far as given, too. */
export function nested(value: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      typeof item === 'object' && item !== null && !Array.isArray(item)
        ? expect.objectContaining(nested(item))
        : item,
    ]),
  )
}
