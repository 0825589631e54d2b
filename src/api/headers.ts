/** Headers of an answer, names in lower case. */
export type AnswerHeaders = Readonly<Record<string, string | readonly string[] | undefined>>

export function headerValue(headers: AnswerHeaders, name: string): string | undefined {
  const value = headers[name]
  return typeof value === 'string' ? value : value?.[0]
}

/** The service's id of the request: its own header if it is there, else any that ends in `request-id`. */
export function requestIdHeader(headers: AnswerHeaders): string | undefined {
  const own = headerValue(headers, 'service-request-id')
  if (own) return own
  const name = Object.keys(headers).find((name) => name.endsWith('-request-id') && headerValue(headers, name))
  return name === undefined ? undefined : headerValue(headers, name)
}

const dayMs = 86_400_000

/**
 * How long the service asks to wait: `Retry-After` as seconds or as a date, else `X-RateLimit-Reset` as seconds or
 * as a time. What makes no sense is left out, a time that is over says nothing, and nobody is made to wait for more
 * than a day, the longest window there is.
 */
export function retryAfterMs(headers: AnswerHeaders, now: number): number | undefined {
  const after = headerValue(headers, 'retry-after')?.trim()
  const reset = headerValue(headers, 'x-ratelimit-reset')?.trim()
  const waitMs = (after ? waitFor(after, now) : undefined) ?? (reset ? waitUntilReset(reset, now) : undefined)
  return waitMs === undefined ? undefined : Math.min(Math.ceil(waitMs), dayMs)
}

function waitFor(text: string, now: number): number | undefined {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000
  // Dates have letters; without this `Date.parse` would read `-5` as a year.
  const time = /^[A-Za-z]{3}/.test(text) ? Date.parse(text) : Number.NaN
  return ifAhead(time - now)
}

function waitUntilReset(text: string, now: number): number | undefined {
  if (!/^\d+(\.\d+)?$/.test(text)) return undefined
  const value = Number(text)
  if (value > 1e11) return ifAhead(value - now)
  return ifAhead(value > 1e9 ? value * 1000 - now : value * 1000)
}

/** The time from now, where there is one: a clock that is behind or a header that is stale tells nothing. */
function ifAhead(waitMs: number): number | undefined {
  return waitMs > 0 ? waitMs : undefined
}
