import { serving } from '../../support/listen.ts'
import { encodedForms } from './encoded-forms.ts'

/** A server that says in every encoding what it was once told. */
export interface TellingServer {
  readonly url: string
  /** What it was told last, by the header `x-key` or by `?key=`. */
  told(): string
}

/**
 * `/login` returns nothing of note. `/forms` returns all forms in the values and names of its JSON. `/fail` refuses with
 * one form and a part in its message. `/cookie` sets a cookie of `n` characters.
 */
export async function startTellingServer(): Promise<TellingServer> {
  let told = ''
  const url = await serving((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://here')
    told = String(request.headers['x-key'] ?? searchParams.get('key') ?? told)
    const forms = encodedForms(told)
    const answer = (status: number, body: unknown, headers: Record<string, string> = {}): void => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers })
      response.end(JSON.stringify(body))
    }
    if (pathname === '/forms') {
      const names = Object.fromEntries(Object.values(forms).map((form, at) => [`${at} ${form}`, at]))
      const echo = encodeURIComponent(told)
      answer(
        200,
        { forms, names, all: Object.values(forms).join(' | ') },
        { 'x-echo': echo, 'x-request-id': echo },
      )
    } else if (pathname === '/fail') {
      // The message of a failure is cut at 300 characters.
      const form = Object.values(forms)[Number(searchParams.get('form'))] ?? ''
      answer(403, { message: `${form} and ${told.slice(0, 14)}… is invalid` })
    } else if (pathname === '/cookie') {
      const value = 'c00kie-'.repeat(Number(searchParams.get('n')) / 7)
      answer(200, { got: value.slice(0, 100) }, { 'set-cookie': `session=${value}` })
    } else answer(200, { ok: true })
  })
  return { url, told: () => told }
}
