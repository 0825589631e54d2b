import { isJsonObject, type JsonObject, type JsonValue } from '../../../core/json.ts'
import type { ErrorData } from '../../../core/run-error.ts'
import type { Paint } from '../../terminal/paint.ts'
import { printableLine } from '../../terminal/printable.ts'

/** The answer that an HTTP request failed with: the request, headers of use, and how its body begins. */
export function httpAnswerLines({ details }: ErrorData, paint: Paint): readonly string[] {
  const answer = answerIn(details)
  if (!answer) return []
  const { method, path, headers, body, body_bytes: bytes } = answer
  const head = isJsonObject(headers)
    ? Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}`)
    : []
  const line = (label: string, text: string): string => `${paint.dim(label)}${printableLine(text)}`
  return [
    line('request     ', `${String(method)} ${String(path)}`),
    ...(head.length === 0 ? [] : [line('headers     ', head.join('; '))]),
    ...(body === undefined ? [] : [line('body        ', `${String(body)}${cutText(body, bytes)}`)]),
  ]
}

/** That of the last request, where the outcome of a create is unknown. */
function answerIn(details: JsonValue | undefined): JsonObject | undefined {
  if (!isJsonObject(details)) return undefined
  if ('method' in details && 'path' in details) return details
  const { errors } = details
  const last = Array.isArray(errors) ? errors.at(-1) : undefined
  return isJsonObject(last) ? answerIn(last['details']) : undefined
}

function cutText(body: JsonValue, bytes: JsonValue | undefined): string {
  const isCut = String(body).length >= 4096 && typeof bytes === 'number'
  return isCut ? `… (${bytes} bytes in all)` : ''
}
