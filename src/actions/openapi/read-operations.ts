import type { CallWindows, Safety } from '../../core/action.ts'
import { isJsonObject, type JsonObject, type JsonSchema, type JsonValue } from '../../core/json.ts'
import { nearest } from '../../core/nearest.ts'
import { toJsonSchema } from './to-json-schema.ts'

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

/** Reads the named operations of a document of OpenAPI 3.0 or 3.1. No other address is read for it. */
export async function readOperations(
  document: JsonObject,
  names: readonly string[],
): Promise<readonly ReadOperation[]> {
  const found = findOperations(document, names)
  const { dereference } = await import('@readme/openapi-parser')
  const whole = (await dereference(cut(document, found) as never, {
    resolve: { external: false },
  })) as unknown as JsonObject
  const all = operationIds(document)
  return names.map((id) => {
    const place = found.get(id)
    if (place === undefined) {
      const near = nearest(id, all)
      return { id, problem: `is not in the document${near === undefined ? '' : `; did you mean "${near}"?`}` }
    }
    return readOperation(id, place, whole)
  })
}

interface Place {
  readonly path: string
  readonly method: (typeof methods)[number]
}

function operationsOf(document: JsonObject): readonly (readonly [id: string, Place])[] {
  const paths = isJsonObject(document['paths']) ? document['paths'] : {}
  return Object.entries(paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = isJsonObject(item) ? item[method] : undefined
      const id = isJsonObject(operation) ? operation['operationId'] : undefined
      return typeof id === 'string' ? [[id, { path, method }] as const] : []
    }),
  )
}

function operationIds(document: JsonObject): readonly string[] {
  return operationsOf(document).map(([id]) => id)
}

function findOperations(document: JsonObject, names: readonly string[]): ReadonlyMap<string, Place> {
  return new Map(operationsOf(document).filter(([id]) => names.includes(id)))
}

/** The document with these operations alone, and the components that they lead to: others can be thousands. */
function cut(document: JsonObject, found: ReadonlyMap<string, Place>): JsonObject {
  const all = isJsonObject(document['paths']) ? document['paths'] : {}
  const paths: Record<string, Record<string, JsonValue>> = {}
  for (const { path, method } of found.values()) {
    const item = all[path]
    if (!isJsonObject(item)) continue
    const shared = item['parameters'] === undefined ? {} : { parameters: item['parameters'] }
    paths[path] = { ...shared, ...paths[path], [method]: item[method] ?? null }
  }
  return {
    openapi: document['openapi'] ?? '',
    info: document['info'] ?? {},
    paths,
    components: componentsFor(paths, document['components']),
  }
}

function componentsFor(paths: JsonValue, components: JsonValue | undefined): JsonObject {
  const kept: Record<string, Record<string, JsonValue>> = {}
  const visit = (value: JsonValue): void => {
    for (const [, kind = '', escaped = ''] of JSON.stringify(value).matchAll(componentReference)) {
      const name = decodeURIComponent(escaped).replaceAll('~1', '/').replaceAll('~0', '~')
      const group = isJsonObject(components) ? components[kind] : undefined
      const component = isJsonObject(group) ? group[name] : undefined
      if (component === undefined || kept[kind]?.[name] !== undefined) continue
      kept[kind] = { ...kept[kind], [name]: component }
      visit(component)
    }
  }
  visit(paths)
  return kept
}

const componentReference = /"\$ref":"#\/components\/([^/"]+)\/([^/"]+)[^"]*"/g

function readOperation(id: string, { path, method }: Place, document: JsonObject): ReadOperation {
  const item = childOf(childOf(document, 'paths'), path)
  const operation = childOf(item, method)
  const own = [...listOf(item['parameters']), ...listOf(operation['parameters'])]
  const parameters = new Map<string, JsonObject>()
  for (const one of own) if (one['in'] !== 'cookie') parameters.set(`${one['in']} ${one['name']}`, one)
  const names = [...parameters.values()].map(({ name }) => String(name))
  const body = readBody(childOf(operation, 'requestBody'))
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
        ...Object.fromEntries([...parameters.values()].map((one) => [String(one['name']), schemaOf(one)])),
        ...(body.type === undefined ? {} : { body: body.schema }),
      },
    },
    answer: answerOf(childOf(operation, 'responses')),
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

function schemaOf(parameter: JsonObject): JsonSchema {
  const description = parameter['description']
  const schema = toJsonSchema(parameter['schema'] ?? {})
  return { ...schema, ...(typeof description === 'string' ? { description } : {}) }
}

type Body =
  | { readonly type: 'json' | 'form'; readonly schema: JsonSchema; readonly isRequired: boolean }
  | { readonly type: undefined; readonly isRequired: false }

function readBody(body: JsonObject): Body | { readonly problem: string } {
  const content = Object.entries(childOf(body, 'content'))
  if (content.length === 0) return { type: undefined, isRequired: false }
  const isRequired = body['required'] === true
  const find = (pattern: RegExp): JsonValue | undefined => content.find(([type]) => pattern.test(type))?.[1]
  const json = find(jsonType)
  const form = find(/^application\/x-www-form-urlencoded/i)
  const chosen = json ?? form
  if (!isJsonObject(chosen))
    return { problem: `takes a body of ${content[0]?.[0]}, and neither JSON nor a form` }
  const schema = toJsonSchema(chosen['schema'] ?? {}, 'request')
  return { type: json === undefined ? 'form' : 'json', schema, isRequired }
}

const jsonType = /^application\/([\w.+-]+\+)?json\b/i

/** The schema of the first success that has one. */
function answerOf(responses: JsonObject): JsonSchema | undefined {
  const successes = Object.keys(responses).filter((status) => /^2/.test(status))
  for (const status of successes.toSorted()) {
    const content = Object.entries(childOf(childOf(responses, status), 'content'))
    const media = content.find(([type]) => jsonType.test(type))?.[1]
    if (isJsonObject(media) && media['schema'] !== undefined) return toJsonSchema(media['schema'])
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
