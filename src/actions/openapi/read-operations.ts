import type { CallWindows, Safety } from '../../core/action.ts'
import { isJsonObject, type JsonObject, type JsonSchema, type JsonValue } from '../../core/json.ts'
import { nearest } from '../../core/text/index.ts'
import { createResolver, LostReference } from './references.ts'
import { type Resolve, toJsonSchema } from './to-json-schema.ts'

/** What a project says about an operation of a document. */
export interface OperationChoice {
  readonly safety: Safety
  /** @default the calls count with the others over the connection */
  readonly limits?: CallWindows
}

/** Where a value of a request goes. */
export interface ParameterPlace {
  readonly in: 'path' | 'query' | 'header'
  /** A list gives its name once for each item; otherwise its items are joined by commas. */
  readonly isRepeated: boolean
  /** A map gives `name[key]` for each of its keys. */
  readonly isDeep: boolean
}

/** One operation of an OpenAPI document, as far as calling it takes. */
export interface ApiOperation {
  readonly id: string
  readonly summary: string
  readonly method: string
  /** With `{name}` for each parameter in it. */
  readonly path: string
  readonly parameters: Readonly<Record<string, ParameterPlace>>
  readonly bodyType: 'json' | 'form' | undefined
  readonly input: JsonSchema
  /** Of the body of a success; undefined where the document does not say. */
  readonly answer: JsonSchema | undefined
}

/** An operation, or what keeps it from being an action. */
export type ReadOperation = ApiOperation | { readonly id: string; readonly problem: string }

const methods = ['get', 'head', 'post', 'put', 'patch', 'delete', 'options'] as const

/** Reads the named operations of a document of OpenAPI 3.0 or 3.1. No other file and no address is read for it. */
export function readOperations(document: JsonObject, names: readonly string[]): readonly ReadOperation[] {
  const all = new Map(operationsOf(document))
  const resolve = createResolver(document)
  return names.map((id) => {
    const place = all.get(id)
    if (place === undefined) {
      const near = nearest(id, [...all.keys()])
      return { id, problem: `is not in the document${near === undefined ? '' : `; did you mean "${near}"?`}` }
    }
    try {
      return readOperation(id, place, resolve)
    } catch (error) {
      if (error instanceof LostReference) return { id, problem: error.message }
      throw error
    }
  })
}

interface Place {
  readonly path: string
  readonly method: (typeof methods)[number]
  /** What the operations of the path share. */
  readonly item: JsonObject
  readonly operation: JsonObject
}

function operationsOf(document: JsonObject): readonly (readonly [id: string, Place])[] {
  return Object.entries(childOf(document, 'paths')).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = isJsonObject(item) ? item[method] : undefined
      const id = isJsonObject(operation) ? operation['operationId'] : undefined
      return typeof id === 'string' && isJsonObject(item) && isJsonObject(operation)
        ? [[id, { path, method, item, operation }] as const]
        : []
    }),
  )
}

/** Whether a path would be sent to another place than below the base URL, or to another server. */
function leavesBase(path: string): boolean {
  const parts = path.split(/[/?#]|%2f/i).map((part) => part.replaceAll(/%2e/gi, '.'))
  return (
    !/^\/(?!\/)[^\\\p{Cc}]*$/u.test(path) ||
    /%5c/i.test(path) ||
    parts.some((part) => part === '.' || part === '..')
  )
}

/** The map that a value is, or refers to. Throws `LostReference` for one that is in another document. */
function follow(value: JsonValue | undefined, resolve: Resolve): JsonObject {
  const reference = isJsonObject(value) ? value['$ref'] : undefined
  const target = typeof reference === 'string' ? resolve(reference) : value
  if (target === undefined && typeof reference === 'string')
    throw new LostReference(`refers to "${reference}", and other documents are not read`)
  return isJsonObject(target) ? target : {}
}

function readOperation(
  id: string,
  { path, method, item, operation }: Place,
  resolve: Resolve,
): ReadOperation {
  if (leavesBase(path))
    return { id, problem: `has the path "${path}", which leads out of that of the connection` }
  const own = [...listOf(item['parameters']), ...listOf(operation['parameters'])].map((one) =>
    follow(one, resolve),
  )
  const parameters = new Map<string, JsonObject>()
  for (const one of own) if (one['in'] !== 'cookie') parameters.set(`${one['in']} ${one['name']}`, one)
  const names = [...parameters.values()].map(({ name }) => String(name))
  const body = readBody(follow(operation['requestBody'], resolve), resolve)
  if ('problem' in body) return { id, problem: body.problem }
  const taken = [...names, ...(body.type === undefined ? [] : ['body'])]
  const twice = taken.find((name, index) => taken.indexOf(name) !== index)
  if (twice !== undefined) return { id, problem: `has two arguments of the name "${twice}"` }
  const required = [...parameters.values()]
    .filter((one) => one['required'] === true)
    .map(({ name }) => String(name))
  const summary = operation['summary'] ?? operation['description'] ?? `${method.toUpperCase()} ${path}`
  return {
    id,
    summary: String(summary).split(/\r?\n/, 1)[0]?.replace(/\.$/, '') ?? id,
    method: method.toUpperCase(),
    path,
    parameters: Object.fromEntries(
      [...parameters.values()].map((one) => [String(one['name']), placeOf(one)]),
    ),
    bodyType: body.type,
    input: {
      type: 'object',
      additionalProperties: false,
      required: [...required, ...(body.isRequired ? ['body'] : [])],
      properties: {
        ...Object.fromEntries(
          [...parameters.values()].map((one) => [String(one['name']), schemaOf(one, resolve)]),
        ),
        ...(body.type === undefined ? {} : { body: body.schema }),
      },
    },
    answer: answerOf(childOf(operation, 'responses'), resolve),
  }
}

function placeOf(parameter: JsonObject): ParameterPlace {
  const place = parameter['in'] === 'path' || parameter['in'] === 'header' ? parameter['in'] : 'query'
  const isForm = parameter['style'] === undefined || parameter['style'] === 'form'
  return {
    in: place,
    isRepeated: place === 'query' && isForm && parameter['explode'] !== false,
    isDeep: parameter['style'] === 'deepObject',
  }
}

function schemaOf(parameter: JsonObject, resolve: Resolve): JsonSchema {
  const description = parameter['description']
  const schema = toJsonSchema(parameter['schema'] ?? {}, 'request', resolve)
  return { ...schema, ...(typeof description === 'string' ? { description } : {}) }
}

type Body =
  | { readonly type: 'json' | 'form'; readonly schema: JsonSchema; readonly isRequired: boolean }
  | { readonly type: undefined; readonly isRequired: false }

function readBody(body: JsonObject, resolve: Resolve): Body | { readonly problem: string } {
  const content = Object.entries(childOf(body, 'content'))
  if (content.length === 0) return { type: undefined, isRequired: false }
  const isRequired = body['required'] === true
  const find = (pattern: RegExp): JsonValue | undefined => content.find(([type]) => pattern.test(type))?.[1]
  const json = find(jsonType)
  const form = find(/^application\/x-www-form-urlencoded/i)
  const chosen = json ?? form
  if (!isJsonObject(chosen))
    return { problem: `takes a body of ${content[0]?.[0]}, and neither JSON nor a form` }
  const schema = toJsonSchema(chosen['schema'] ?? {}, 'request', resolve)
  return { type: json === undefined ? 'form' : 'json', schema, isRequired }
}

const jsonType = /^application\/([\w.+-]+\+)?json\b/i

/** The schema of the first success that has one. */
function answerOf(responses: JsonObject, resolve: Resolve): JsonSchema | undefined {
  const successes = Object.keys(responses).filter((status) => /^2/.test(status))
  for (const status of successes.toSorted()) {
    const content = Object.entries(childOf(follow(responses[status], resolve), 'content'))
    const media = content.find(([type]) => jsonType.test(type))?.[1]
    if (isJsonObject(media) && media['schema'] !== undefined)
      return toJsonSchema(media['schema'], 'answer', resolve)
  }
  return undefined
}

function childOf(value: JsonValue | undefined, key: string): JsonObject {
  const child = isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
  return isJsonObject(child) ? child : {}
}

function listOf(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter((item) => isJsonObject(item)) : []
}
