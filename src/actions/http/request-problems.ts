import { childPath } from '../../api/field-path.ts'
import { isHttpUrl } from '../../api/http-url.ts'
import type { InputProblem } from '../../core/action.ts'
import type { JsonObject } from '../../core/json.ts'
import { asRequest, type HttpRequest } from './request.ts'

/** What is wrong with a request beyond its schema. No value of a secret header is repeated. */
export function requestProblems(input: JsonObject): readonly InputProblem[] {
  const request = asRequest(input)
  const { url, method = 'GET', body } = request
  return [
    ...urlProblems(url),
    ...headerProblems(request),
    ...((method === 'GET' || method === 'HEAD') && body !== undefined && body !== null
      ? [{ path: 'body', message: `must be left out: ${method} sends none` }]
      : []),
  ]
}

function urlProblems(url: string): readonly InputProblem[] {
  const problem = (message: string): readonly InputProblem[] => [{ path: 'url', message }]
  if (!isHttpUrl(url)) return problem('must be an absolute http or https URL with a host')
  const { username, password } = new URL(url)
  if (username === '' && password === '') return []
  return problem('must hold no user name and no password; take them from secret-headers')
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
    const lower = name.toLowerCase()
    const isTwice = taken.has(lower)
    taken.add(lower)
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) return [{ path, message: 'is not the name of a header' }]
    if (ours.has(lower)) return [{ path, message: 'is a header that is set when the request is sent' }]
    if (isTwice) return [{ path, message: 'is given twice' }]
    if (/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) return []
    return [{ path: valuePath, message: 'holds a character that a header cannot hold, such as a line break' }]
  })
}
