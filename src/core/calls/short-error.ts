import { isJsonObject, type JsonValue } from '../json.ts'
import type { ErrorData } from '../run-error.ts'

/** In characters, of one text in the details of an error. */
const mostShown = 4096

/** The error of a call as the step keeps it, with the ends of long texts: its attempts keep the whole texts. */
export function shortError(error: ErrorData): ErrorData {
  const { details } = error
  return details === undefined ? error : { ...error, details: shorten(details) }
}

function shorten(value: JsonValue): JsonValue {
  if (typeof value === 'string')
    // Half of a character is none.
    return value.length > mostShown ? value.slice(-mostShown).replace(/^[\uDC00-\uDFFF]/, '') : value
  if (Array.isArray(value)) return value.map(shorten)
  if (!isJsonObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, shorten(part)]))
}
