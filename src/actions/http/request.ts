import { childPath, isHttpUrl } from '../../api/validation/index.ts'
import type { InputProblem } from '../../core/action.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts'
import { addressPathProblem } from '../../core/text/index.ts'

export type HttpMethod = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'

type FieldValue = string | number | boolean | null | { readonly secret: string }

/** The fields of a query or a form: a list gives its name once for each item, null leaves the name out. */
export type Fields = Readonly<Record<string, FieldValue | readonly FieldValue[]>>

/** The arguments of `core/http`, each secret with its value. */
export interface HttpRequest {
  readonly method?: HttpMethod
  readonly url?: string
  readonly path?: string
  readonly query?: Fields
  readonly headers?: Readonly<Record<string, string | number>>
  readonly 'secret-headers'?: Readonly<Record<string, SecretHeader>>
  readonly body?: JsonValue
  readonly form?: Fields
  readonly 'body-file'?: string
  readonly ok?: readonly number[]
}

export interface SecretHeader {
  readonly secret: string
  readonly prefix?: string
}

/** Arguments that have passed the schema. */
export function asRequest(input: JsonObject): HttpRequest {
  return input as unknown as HttpRequest
}

/** What is wrong with a request beyond its schema. No value of a secret is repeated. */
export function requestProblems(input: JsonObject): readonly InputProblem[] {
  const request = asRequest(input)
  const { url, path } = request
  return [
    ...(url === undefined ? [] : urlProblems(url)),
    ...(path === undefined ? [] : pathProblems(path, url)),
    ...headerProblems(request),
    ...bodyProblems(request),
  ]
}

function urlProblems(url: string): readonly InputProblem[] {
  const problem = (message: string): readonly InputProblem[] => [{ path: 'url', message }]
  if (/[\s\p{Cc}]/u.test(url))
    return problem(
      'holds a blank or a line break, which no address can: write urlEncode(…) around a value, or %20 for a blank',
    )
  if (!isHttpUrl(url)) return problem('must be an absolute http or https URL with a host')
  const { username, password } = new URL(url)
  if (username === '' && password === '') return []
  return problem('must hold no user name and no password; take them from secret-headers')
}

function pathProblems(path: string, url: string | undefined): readonly InputProblem[] {
  const message =
    url === undefined
      ? addressPathProblem(path)
      : 'must be left out where url is given: it is a path below the address of a connection'
  return message === undefined ? [] : [{ path: 'path', message }]
}

const bodyKeys = ['body', 'form', 'body-file'] as const

function bodyProblems(request: HttpRequest): readonly InputProblem[] {
  const { method = 'GET' } = request
  const [first, ...others] = bodyKeys.filter((key) => request[key] !== undefined && request[key] !== null)
  if (first !== undefined && (method === 'GET' || method === 'HEAD'))
    return [{ path: first, message: `must be left out: ${method} sends none` }]
  return others.map((key) => ({ path: key, message: `must be left out where ${first} is given` }))
}

/** What belongs to the connection, and to how a body travels. */
const ours: ReadonlySet<string> = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

function headerProblems({
  headers = {},
  'secret-headers': secrets = {},
}: HttpRequest): readonly InputProblem[] {
  const plain = Object.entries(headers).map(([name, value]) => {
    const path = childPath('headers', name)
    return { name, path, valuePath: path, value: String(value) }
  })
  const secret = Object.entries(secrets).map(([name, { secret: value, prefix = '' }]) => {
    const path = childPath('secret-headers', name)
    return { name, path, valuePath: `${path}.secret`, value: prefix + value }
  })
  const taken = new Set<string>()
  return [...plain, ...secret].flatMap(({ name, path, valuePath, value }) => {
    const isTwice = taken.has(name.toLowerCase())
    taken.add(name.toLowerCase())
    const message = headerNameProblem(name) ?? (isTwice ? 'is given twice' : undefined)
    if (message !== undefined) return [{ path, message }]
    const wrong = headerValueProblem(value)
    return wrong === undefined ? [] : [{ path: valuePath, message: wrong }]
  })
}

/** Why a header cannot be given by this name. */
export function headerNameProblem(name: string): string | undefined {
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) return 'is not the name of a header'
  return ours.has(name.toLowerCase()) ? 'is a header that is set when the request is sent' : undefined
}

/** Why a header cannot have this value. */
export function headerValueProblem(value: string): string | undefined {
  if (/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) return undefined
  return 'holds a character that a header cannot hold, such as a line break'
}

/** The fields as they stand in a query. */
export function encodeQuery(fields: Fields): string {
  return pairsOf(fields)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join('&')
}

/** The fields as a form sends them: `application/x-www-form-urlencoded`. */
export function encodeForm(fields: Fields): string {
  return new URLSearchParams(pairsOf(fields)).toString()
}

function pairsOf(fields: Fields): [string, string][] {
  return Object.entries(fields).flatMap(([name, value]) =>
    [value].flat().flatMap((one): [string, string][] => {
      if (one === null) return []
      return [[name, String(typeof one === 'object' ? one.secret : one)]]
    }),
  )
}

/** The secrets that the request holds by name. */
export function secretsIn({
  query = {},
  form = {},
  'secret-headers': headers = {},
}: HttpRequest): readonly string[] {
  const inFields = [...Object.values(query), ...Object.values(form)]
    .flat()
    .flatMap((value) => (isJsonObject(value) ? [String(value['secret'])] : []))
  return [...Object.values(headers).map(({ secret }) => secret), ...inFields]
}
