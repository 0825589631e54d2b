import type { JsonSchema } from '../../../core/json.ts'
import { hint } from '../../../core/text/index.ts'
import { formatDuration, parseDuration } from '../../../core/times/index.ts'
import { usualKeepKeysMs } from '../../../core/triggers/index.ts'
import { configurationDefaults } from './defaults.ts'

/** A text that names the place of a secret. */
export const reference: JsonSchema = {
  type: 'string',
  pattern: '^(env:[A-Za-z_][A-Za-z0-9_]*|file:.+)$',
  patternErrorMessage: 'Expected env:NAME or file:PATH',
}

const secret: JsonSchema = {
  anyOf: [{ ...reference }, { type: 'array', minItems: 1, uniqueItems: true, items: { ...reference } }],
  examples: ['env:OPSBOOK_WEBHOOK_SECRET', ['env:NEW_SECRET', 'env:OLD_SECRET']],
  description:
    'The place of the secret: env:NAME or file:PATH, never the secret itself. With a list, each secret is accepted, so that you can rotate secrets while events arrive.',
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
        'Each delivery is signed according to the Standard Webhooks specification.',
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
      description: 'With hmac: the text before each signature. Several signatures are separated by commas.',
    },
  },
  if: { properties: { type: { enum: ['token', 'hmac'] } } },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: ['header'] },
  else: { properties: { header: false } },
  allOf: [{ if: { properties: { type: { const: 'hmac' } } }, else: { properties: { prefix: false } } }],
  description:
    'How senders prove who they are. Without it, any local process can send events, and other machines cannot.',
}

/** The shape of `hooks`. */
export const hooksSchema: JsonSchema = {
  type: 'object',
  propertyNames: { pattern: '^[a-z0-9][a-z0-9_-]{0,63}$' },
  description: 'The sources of events for "opsbook serve", by name: POST /hooks/NAME.',
  additionalProperties: {
    type: 'object',
    additionalProperties: false,
    properties: {
      auth,
      event: {
        type: 'string',
        enum: ['incident'],
        default: configurationDefaults.hookEvent,
        description: 'The type of the triggers that it can start.',
      },
      format: {
        type: 'string',
        enum: ['incident'],
        enumDescriptions: ['The webhook of incidents of the platform, and its button on an incident.'],
        description:
          'Whose deliveries it takes. It then knows the id and the fields, in place of id and map.',
      },
      id: {
        type: 'string',
        minLength: 1,
        examples: ['${{ body.event_id }}'],
        description:
          'The id of an event, computed from "body": a repeated id starts nothing. Default: the header webhook-id.',
      },
      'content-type': {
        type: 'string',
        pattern: '^[a-z0-9.+-]+/[a-z0-9.+-]+$',
        examples: ['text/plain'],
        description: 'What the sender calls its JSON, where it is not application/json.',
      },
      map: {
        examples: [{ incident: '${{ body.data }}' }],
        description: 'The value of "event" for triggers, computed from "body". Default: the body itself.',
      },
    },
    if: { required: ['format'] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { properties: { id: false, map: false } },
  },
}

/** The shape of `triggers`. */
export const triggersSchema: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  description: 'Settings for all triggers.',
  properties: {
    'keep-keys': {
      type: 'string',
      format: 'duration',
      default: formatDuration(usualKeepKeysMs),
      examples: ['7d'],
      description: 'How long a dedupe-key is kept: until then it starts no second run.',
    },
  },
}

/** `triggers` as its author writes it. */
export interface TriggersDocument {
  readonly 'keep-keys'?: string
}

/** A hook as its author writes it. */
export interface HookDocument {
  readonly auth?: HookAuthDocument
  readonly event?: 'incident'
  readonly format?: 'incident'
  readonly id?: string
  readonly 'content-type'?: string
  readonly map?: unknown
}

export interface HookAuthDocument {
  readonly type: 'standard-webhooks' | 'token' | 'hmac'
  readonly secret: string | readonly string[]
  readonly header?: string
  readonly prefix?: string
}

/** The message about a hook that does not exist. */
export function noHook(hook: string, hooks: readonly string[]): string {
  return `there is no hook "${hook}" in opsbook.yaml${hint(hook, hooks)}`
}

/** How long a dedupe key is kept, in milliseconds. */
export function keepKeysMs({
  document,
}: {
  readonly document: { readonly triggers?: TriggersDocument }
}): number {
  const given = document.triggers?.['keep-keys']
  return (given === undefined ? undefined : parseDuration(given)) ?? usualKeepKeysMs
}
