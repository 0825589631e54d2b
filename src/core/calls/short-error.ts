import { type JsonValue, mapJson } from '../json.ts'
import type { ErrorData } from '../run-error.ts'

/** In characters, of one text in the details of an error. */
const mostShown = 4096

/** The error of a call as the step keeps it, with the ends of long texts: its attempts keep the whole texts. */
export function shortError(error: ErrorData): ErrorData {
  const { details } = error
  return details === undefined ? error : { ...error, details: mapJson(details, shorten) }
}

function shorten(value: JsonValue): JsonValue {
  return typeof value === 'string' && value.length > mostShown
    ? // Half of a character is none.
      value.slice(-mostShown).replace(/^[\uDC00-\uDFFF]/, '')
    : value
}
