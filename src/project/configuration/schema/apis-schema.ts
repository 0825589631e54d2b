import type { JsonSchema } from '../../../core/json.ts'
import { connectionLimitsSchema } from './connections-schema.ts'

/** The shape of `apis`. */
export const apisSchema: JsonSchema = {
  type: 'object',
  propertyNames: { pattern: '^[a-z][a-z0-9_-]{0,63}$' },
  description: 'OpenAPI documents of which operations become actions: NAME/OPERATION-ID.',
  additionalProperties: {
    type: 'object',
    required: ['openapi', 'connection', 'operations'],
    additionalProperties: false,
    properties: {
      openapi: {
        type: 'string',
        minLength: 1,
        examples: ['./github.json'],
        description: 'The document (OpenAPI 3.0 or 3.1, JSON or YAML), relative to this file.',
      },
      sha256: {
        type: 'string',
        pattern: '^[0-9a-f]{64}$',
        patternErrorMessage: 'Expected the SHA-256 of the document: 64 lower-case hex digits',
        description:
          'Pins the document: another content is refused. The message about a missing one names it.',
      },
      connection: {
        type: 'string',
        minLength: 1,
        examples: ['github'],
        description: 'The connection of type http that calls go over.',
      },
      operations: {
        type: 'object',
        minProperties: 1,
        description: 'The operations that become actions, by operation id.',
        additionalProperties: {
          type: 'object',
          required: ['safety'],
          additionalProperties: false,
          properties: {
            safety: {
              type: 'string',
              enum: ['read', 'idempotent', 'create'],
              enumDescriptions: [
                'Changes nothing.',
                'Once or twice has the same effect.',
                'Makes something new: never repeated when the answer is lost.',
              ],
              description: 'Whether a repeat of a call is safe. No method says it.',
            },
            limits: {
              ...connectionLimitsSchema,
              description: 'Its own limits. Default: its calls count with the others over the connection.',
            },
          },
        },
      },
    },
  },
}

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
        readonly limits?: {
          readonly 'per-second'?: number
          readonly 'per-minute'?: number
          readonly 'per-day'?: number
        }
      }
    >
  >
}
