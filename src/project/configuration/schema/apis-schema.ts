import type { JsonSchema } from '../../../core/json.ts'
import { byName, choice, closed, nonEmpty, string } from '../../../core/write-schema.ts'
import { connectionLimitsSchema, type HttpConnectionDocument } from './connections-schema.ts'

/** The shape of `apis`. */
export const apisSchema: JsonSchema = byName(
  'OpenAPI documents of which operations become actions: NAME/OPERATION-ID.',
  closed(['openapi', 'connection', 'operations'], {
    openapi: nonEmpty('The document (OpenAPI 3.0 or 3.1, JSON or YAML), relative to this file.', {
      examples: ['./github.json'],
    }),
    sha256: string(
      'Pins the document: another content is refused. The message about a missing one names it.',
      {
        pattern: '^[0-9a-f]{64}$',
        patternErrorMessage: 'Expected the SHA-256 of the document: 64 lower-case hex digits',
      },
    ),
    connection: nonEmpty('The connection of type http that calls go over.', { examples: ['github'] }),
    operations: byName(
      'The operations that become actions, by operation id.',
      closed(['safety'], {
        safety: choice('Whether a repeat of a call is safe. No method says it.', {
          read: 'Changes nothing.',
          idempotent: 'Once or twice has the same effect.',
          create: 'Makes something new: never repeated when the answer is lost.',
        }),
        limits: {
          ...connectionLimitsSchema,
          description: 'Its own limits. Default: its calls count with the others over the connection.',
        },
      }),
      { minProperties: 1 },
    ),
  }),
  { propertyNames: { pattern: '^[a-z][a-z0-9_-]{0,63}$' } },
)

/** An OpenAPI document as the author of `opsbook.yaml` names it. */
export interface ApiDocument {
  readonly openapi: string
  readonly sha256?: string
  readonly connection: string
  readonly operations: Readonly<
    Record<
      string,
      {
        readonly safety: 'read' | 'idempotent' | 'create'
        readonly limits?: HttpConnectionDocument['limits']
      }
    >
  >
}
