import type { JsonSchema } from '../../core/json.ts'
import { reference } from './reference-schema.ts'

const secret: JsonSchema = {
  anyOf: [{ ...reference }, { type: 'array', minItems: 1, uniqueItems: true, items: { ...reference } }],
  examples: ['env:OPSBOOK_WEBHOOK_SECRET', ['env:NEW_SECRET', 'env:OLD_SECRET']],
  description:
    'Where the secret is found: env:NAME or file:PATH. Of a list each one counts, so that a secret can be replaced while events come in. Never the secret itself.',
}

const auth: JsonSchema = {
  type: 'object',
  required: ['type', 'secret'],
  additionalProperties: false,
  properties: {
    type: {
      type: 'string',
      enum: ['standard-webhooks', 'token', 'hmac'],
      enumDescriptions: [
        'Each delivery is signed as the Standard Webhooks specification says.',
        'Each delivery carries the secret itself in a header.',
        'A header holds the hexadecimal HMAC-SHA256 of the body.',
      ],
      description: 'How senders prove who they are.',
    },
    secret,
    header: {
      type: 'string',
      pattern: '^[A-Za-z0-9-]+$',
      examples: ['X-Opsbook-Token'],
      description:
        'The header that carries the token, with Authorization after the word Bearer; or the one with the signature.',
    },
    prefix: {
      type: 'string',
      maxLength: 64,
      pattern: '^[!-+.-~]*$',
      default: '',
      examples: ['v1=', 'sha256='],
      description: 'With hmac: what stands before each signature. Several have commas between them.',
    },
  },
  if: { properties: { type: { enum: ['token', 'hmac'] } } },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: ['header'] },
  else: { properties: { header: false } },
  allOf: [{ if: { properties: { type: { const: 'hmac' } } }, else: { properties: { prefix: false } } }],
  description: 'How senders prove who they are. Left out: whoever reaches the address; on this machine only.',
}

/** The shape of `hooks`. */
export const hooksSchema: JsonSchema = {
  type: 'object',
  propertyNames: { pattern: '^[a-z0-9][a-z0-9_-]{0,63}$' },
  description: 'What "opsbook serve" takes events from, by name: POST /hooks/NAME.',
  additionalProperties: {
    type: 'object',
    additionalProperties: false,
    properties: {
      auth,
      event: {
        type: 'string',
        enum: ['incident'],
        default: 'incident',
        description: 'The type of the triggers that it can start.',
      },
      id: {
        type: 'string',
        minLength: 1,
        examples: ['${{ body.event_id }}'],
        description:
          'What the sender calls the event, made of "body": the same one again starts nothing. Left out: the header webhook-id.',
      },
      map: {
        examples: [{ incident: '${{ body.data }}' }],
        description: 'What triggers see as "event", made of "body". Left out: the body as it is.',
      },
    },
  },
}

/** The shape of `triggers`. */
export const triggersSchema: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  description: 'What holds for all triggers.',
  properties: {
    'keep-keys': {
      type: 'string',
      format: 'duration',
      default: '7d',
      examples: ['7d'],
      description: 'How long a dedupe-key is remembered: for so long it starts no second run.',
    },
  },
}

/** A hook as its author writes it. */
export interface HookDocument {
  readonly auth?: HookAuthDocument
  readonly event?: 'incident'
  readonly id?: string
  readonly map?: unknown
}

export interface HookAuthDocument {
  readonly type: 'standard-webhooks' | 'token' | 'hmac'
  readonly secret: string | readonly string[]
  readonly header?: string
  readonly prefix?: string
}
