import type { JsonValue } from '../../../core/json.ts'
import type { UnwillingCandidate } from '../../../core/triggers/offer.ts'

/** In characters as JSON, of one decision: the message and the details have half of it each. */
const mostCharacters = 2048
const mostOfEach = mostCharacters / 2

/** Why a trigger was not willing, as far as it is kept: whoever sends the event decides how long that is. */
export function trimCandidate(candidate: UnwillingCandidate): UnwillingCandidate {
  const { details, message, ...rest } = candidate
  const trimmed = { ...rest, message: String(cutTo(mostOfEach, message)) }
  if (details === undefined) return trimmed
  if (lengthOf(details) <= mostOfEach) return { ...trimmed, details }
  const entries = Object.entries(details)
  const share = Math.floor(mostOfEach / entries.length / 2)
  const cut = Object.fromEntries(entries.map(([key, value]) => [key, cutTo(share, value)]))
  return lengthOf(cut) <= mostOfEach ? { ...trimmed, details: cut } : trimmed
}

function cutTo(most: number, value: JsonValue): JsonValue {
  if (lengthOf(value) <= most) return value
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  // What JSON writes as several characters counts as such.
  let length = Math.max(0, Math.min(text.length, most - 3))
  while (length > 0 && lengthOf(text.slice(0, length)) > most - 1) length = Math.floor(length * 0.9)
  return `${text.slice(0, length)}…`
}

function lengthOf(value: JsonValue): number {
  return JSON.stringify(value).length
}
