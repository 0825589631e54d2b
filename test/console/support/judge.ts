import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'

type Document = Readonly<Record<string, unknown>>

/** The schemas of the description, closed: a member that they do not name is a mistake. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.fromEntries(Object.entries(value).map(([key, one]) => [key, closed(one)]))
  return 'properties' in entries && !('additionalProperties' in entries)
    ? { ...entries, additionalProperties: false }
    : entries
}

/** Holds the answer of a route against the description of the API. */
export function createJudge(openapi: Document): (path: string, answer: unknown) => readonly unknown[] {
  const ajv = new Ajv({ strict: false, allErrors: true })
  // biome-ignore lint/suspicious/noExplicitAny: the package is CommonJS, and its types say otherwise
  ;(addFormats as any)(ajv)
  ajv.addSchema({ $id: 'openapi', ...(closed({ components: openapi['components'] }) as object) })
  return (path, answer) => {
    const operation = (openapi['paths'] as Record<string, Record<string, Document>>)[path]?.['get']
    const { content } = ((operation?.['responses'] ?? {}) as Record<string, Document>)['200'] as Document
    const { schema } = (content as Record<string, Document>)['application/json'] as { schema: Document }
    const { $ref } = schema as { $ref?: string }
    const check = ajv.compile($ref === undefined ? schema : { $ref: `openapi${$ref}` })
    check(answer)
    return (check.errors ?? []).map(({ instancePath, message, params }) => [instancePath, message, params])
  }
}
