import { type Language, statusOf } from './codes.ts'
import type { Json, JsonObject } from './json.ts'
import type { HandledOutcome, Refused } from './outcome.ts'

/** What goes out, unless the connection is closed instead. */
export interface HttpAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | AsyncIterable<string>
}

/** How an answer is put: for whom, under which id, in which of the two shapes. */
export interface Presentation {
  readonly requestId: string
  readonly language: Language
  readonly isNewer: boolean
}

/** Puts an outcome into the envelope of the document, or into a stream of lines. */
export function presentOutcome(outcome: HandledOutcome, presentation: Presentation): HttpAnswer {
  if (outcome.kind === 'refused') return presentRefused(outcome, presentation)
  if (outcome.kind === 'lines') {
    const headers = { ...idHeader(presentation), 'content-type': 'application/x-ndjson' }
    return { status: 200, headers, body: outcome.lines(presentation.isNewer) }
  }
  const { requestId, isNewer } = presentation
  return presentEnvelope(200, presentation, {
    request_id: requestId,
    ...(outcome.data !== undefined && { data: outcome.data }),
    ...(isNewer && { error: { code: 'OK', message: '' } }),
  })
}

export function presentRefused(refused: Refused, presentation: Presentation): HttpAnswer {
  const { requestId, language } = presentation
  const error = { code: refused.code, message: refused.text[language] }
  const answer = presentEnvelope(statusOf(refused.code), presentation, { request_id: requestId, error })
  return {
    ...answer,
    headers: { ...answer.headers, 'content-language': language, ...refused.headers },
  }
}

function presentEnvelope(status: number, presentation: Presentation, envelope: JsonObject): HttpAnswer {
  const headers = { ...idHeader(presentation), 'content-type': 'application/json; charset=utf-8' }
  return { status, headers, body: JSON.stringify(envelope satisfies Json) }
}

function idHeader({ requestId, isNewer }: Presentation): Record<string, string> {
  return { [isNewer ? 'vendor-request-id' : 'service-request-id']: requestId }
}
