import { RunbookError } from '../../core/run-error.ts'
import type { Artifacts } from '../action.ts'
import { readBodyFile } from './body-file.ts'
import type { HttpConnection } from './connection/http-connection.ts'
import { encodeForm, encodeQuery, type HttpMethod, type HttpRequest } from './request.ts'

/** A request with its address, before it is logged in. */
export interface PreparedRequest {
  readonly origin: string
  readonly method: HttpMethod
  /** With the query: never to be shown. */
  readonly path: string
  /** The path without what is secret of it. */
  readonly shownPath: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Buffer | undefined
}

/** Puts a request together. Throws `InvalidInput` where it has no address, or two. */
export async function prepareRequest(
  request: HttpRequest,
  connection: HttpConnection | undefined,
  artifacts: Artifacts,
): Promise<PreparedRequest> {
  const { origin, path, search, shown } = targetOf(request, connection)
  const query = encodeQuery(request.query ?? {})
  const joined = query === '' ? search : `${search === '' ? '?' : `${search}&`}${query}`
  const { body, contentType } = await bodyOf(request, artifacts)
  return {
    origin,
    method: request.method ?? 'GET',
    path: path + joined,
    shownPath: shown,
    headers: headersOf(request, connection, contentType),
    body,
  }
}

interface Target extends ReturnType<HttpConnection['target']> {
  readonly origin: string
}

function targetOf({ url, path }: HttpRequest, connection: HttpConnection | undefined): Target {
  if (connection === undefined) {
    if (url === undefined) throw refused('url is required, or a connection with path')
    const { origin, pathname, search } = new URL(url)
    return { origin, path: pathname, search, shown: pathname }
  }
  if (url !== undefined)
    throw refused(`url must be left out: the connection "${connection.name}" has the address`)
  return { origin: connection.origin, ...connection.target(path ?? '') }
}

function refused(what: string): RunbookError {
  return new RunbookError('InvalidInput', `core/http: ${what}`, { notSent: true })
}

interface Body {
  readonly body: string | Buffer | undefined
  /** Undefined without a body. */
  readonly contentType?: string
}

async function bodyOf(request: HttpRequest, artifacts: Artifacts): Promise<Body> {
  const { body, form, 'body-file': file } = request
  if (form !== undefined) return { body: encodeForm(form), contentType: 'application/x-www-form-urlencoded' }
  if (file !== undefined)
    return { body: await readBodyFile(artifacts, file), contentType: 'application/octet-stream' }
  if (body === undefined || body === null) return { body: undefined }
  return typeof body === 'string'
    ? { body, contentType: 'text/plain; charset=utf-8' }
    : { body: JSON.stringify(body), contentType: 'application/json' }
}

/** The headers of a step take precedence over those of the connection. */
function headersOf(
  { headers = {}, 'secret-headers': secrets = {} }: HttpRequest,
  connection: HttpConnection | undefined,
  contentType: string | undefined,
): Readonly<Record<string, string>> {
  const inLowerCase = (entries: readonly (readonly [string, string])[]): Record<string, string> =>
    Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), value]))
  return {
    accept: '*/*',
    'accept-encoding': 'identity',
    'user-agent': 'opsbook',
    ...(contentType === undefined ? {} : { 'content-type': contentType }),
    ...inLowerCase(Object.entries(connection?.headers ?? {})),
    ...inLowerCase(Object.entries(headers).map(([name, value]) => [name, String(value)])),
    ...inLowerCase(Object.entries(secrets).map(([name, { secret, prefix = '' }]) => [name, prefix + secret])),
  }
}
