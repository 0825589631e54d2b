import type { JsonSchema } from '../../core/json.ts'
import { documents, problemSchema, refTo } from '../../documents/index.ts'
import type { Route } from './route.ts'

/** Describes the routes under `/api`, from the table of them, as OpenAPI 3.1. */
export function describeApi(routes: readonly Route[], version: string): object {
  const paths: Record<string, Record<string, object>> = {}
  for (const route of routes) {
    if (!route.path.startsWith('/api/')) continue
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}').replace('*', '{name}')
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route, path) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Opsbook console',
      version,
      description:
        'Every request needs the cookie of a session, or a token of "opsbook tokens". x-role is the role that it needs. Requests with the cookie that change something need the header opsbook-console. Names of fields are those of the commands with --output json.',
    },
    security: [{ session: [] }, { token: [] }],
    paths,
    components: {
      securitySchemes: {
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: '__Host-opsbook',
          description: 'Without TLS, the name is opsbook- and the port.',
        },
        token: { type: 'http', scheme: 'bearer' },
      },
      schemas: Object.fromEntries(
        Object.entries(documents).map(([name, schema]) => [name, withRefs(schema, schema)]),
      ),
    },
  }
}

function operationOf({ about = '', access, query = {}, body, answer }: Route, path: string): object {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
  const inQuery = Object.entries(query).map(([name, schema]) => ({ name, in: 'query', schema }))
  const content =
    typeof answer === 'string'
      ? { [answer]: { schema: { type: 'string' } } }
      : { 'application/json': { schema: withRefs(answer ?? {}) } }
  return {
    summary: about,
    'x-role': access,
    ...(inPath.length + inQuery.length === 0 ? {} : { parameters: [...inPath, ...inQuery] }),
    ...(body === undefined
      ? {}
      : { requestBody: { required: true, content: { 'application/json': { schema: body } } } }),
    responses: {
      200: { description: 'The answer.', content },
      default: {
        description: 'A refusal or failure.',
        content: { 'application/problem+json': { schema: withRefs(problemSchema) } },
      },
    },
  }
}

const names: ReadonlyMap<unknown, string> = new Map(
  Object.entries(documents).map(([name, schema]) => [schema, name]),
)

/** The schema with a reference in place of each document inside of it, but for itself. */
function withRefs(schema: JsonSchema, itself?: JsonSchema): JsonSchema {
  return JSON.parse(
    JSON.stringify(schema, (_, value: unknown) => {
      const name = value === itself ? undefined : names.get(value)
      return name === undefined ? value : { $ref: refTo(name) }
    }),
  )
}
