import { createRequire } from 'node:module'
import type * as LosslessJson from 'lossless-json'
import { isBeyondNumbers, isJsonObject, type JsonValue } from '../../core/json.ts'
import { withoutMark } from '../../core/text/index.ts'
import { childPath } from './field-path.ts'

/** A parsed text, and the paths of the numbers that are text now because a number cannot hold them. */
export interface ParsedJson {
  readonly value: JsonValue
  readonly bigNumbers: readonly string[]
}

/** A number that may lose digits or be beyond all numbers; a run of digits inside a text costs time only. */
const suspicious = /\d[\d.]{15}|\d[eE]\+?\d{3}/

const require: NodeJS.Require = createRequire(import.meta.url)
let loaded: typeof LosslessJson | undefined

/** Loaded with the first such number: most commands read none. */
function losslessJson(): typeof LosslessJson {
  loaded ??= require('lossless-json') as typeof LosslessJson
  return loaded
}

/** Parses JSON, without a byte order mark before it, and loses no digit of a number beyond 2^53. Throws where the text is not JSON. */
export function parseJson(given: string): ParsedJson {
  const text = withoutMark(given)
  if (!suspicious.test(text)) return { value: JSON.parse(text), bigNumbers: [] }
  // What is not JSON for everybody is not JSON here, whatever the other parser accepts.
  JSON.parse(text)
  const lossless = losslessJson().parse(text, undefined, { onDuplicateKey: ({ newValue }) => newValue })
  const bigNumbers: string[] = []
  return { value: withBigNumbersAsText(lossless, '', bigNumbers), bigNumbers }
}

function withBigNumbersAsText(value: unknown, path: string, found: string[]): JsonValue {
  if (losslessJson().isLosslessNumber(value)) {
    if (!isBeyondNumbers(value.value)) return Number(value.value)
    found.push(path)
    return value.value
  }
  if (Array.isArray(value))
    return value.map((item, index) => withBigNumbersAsText(item, childPath(path, index), found))
  if (!isJsonObject(value)) return value as JsonValue
  // Not by assignment, which would set the prototype where the field is called `__proto__`.
  const entries = Object.entries(value)
  return Object.fromEntries(
    entries.map(([name, member]) => [name, withBigNumbersAsText(member, childPath(path, name), found)]),
  )
}
