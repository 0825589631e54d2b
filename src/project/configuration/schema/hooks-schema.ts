import type { JsonSchema } from '../../../core/json.ts'
import { hint } from '../../../core/text/index.ts'
import { formatDuration, parseDuration } from '../../../core/times/index.ts'
import { usualKeepKeysMs } from '../../../core/triggers/index.ts'
import { byName, choice, closed, nonEmpty, object, string, when } from '../../../core/write-schema.ts'
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

const auth: JsonSchema = object(
  'How senders prove who they are. Without it, any local process can send events, and other machines cannot.',
  {
    type: choice('How senders prove who they are.', {
      'standard-webhooks': 'Each delivery is signed according to the Standard Webhooks specification.',
      token: 'Each delivery carries the secret itself in a header.',
      hmac: 'A header holds the hexadecimal HMAC-SHA256 of the body.',
    }),
    secret,
    header: string(
      'The header that carries the token, with Authorization after the word Bearer; or the one with the signature.',
      { pattern: '^[A-Za-z0-9-]+$', examples: ['X-Opsbook-Token'] },
    ),
    prefix: string('With hmac: the text before each signature. Several signatures are separated by commas.', {
      maxLength: 64,
      pattern: '^[!-+.-~]*$',
      default: '',
      examples: ['v1=', 'sha256='],
    }),
  },
  {
    required: ['type', 'secret'],
    ...when(
      { properties: { type: { enum: ['token', 'hmac'] } } },
      { required: ['header'] },
      { properties: { header: false } },
    ),
    allOf: [{ if: { properties: { type: { const: 'hmac' } } }, else: { properties: { prefix: false } } }],
  },
)

/** The shape of `hooks`. */
export const hooksSchema: JsonSchema = byName(
  'The sources of events for "opsbook serve", by name: POST /hooks/NAME.',
  closed(
    [],
    {
      auth,
      event: string('The type of the triggers that it can start.', {
        enum: ['incident'],
        default: configurationDefaults.hookEvent,
      }),
      format: choice(
        'Whose deliveries it takes. It then knows the id and the fields, in place of id and map.',
        { incident: 'The webhook of incidents of the platform, and its button on an incident.' },
      ),
      id: nonEmpty(
        'The id of an event, computed from "body": a repeated id starts nothing. Default: the header webhook-id.',
        { examples: ['${{ body.event_id }}'] },
      ),
      'content-type': string('What the sender calls its JSON, where it is not application/json.', {
        pattern: '^[a-z0-9.+-]+/[a-z0-9.+-]+$',
        examples: ['text/plain'],
      }),
      map: {
        examples: [{ incident: '${{ body.data }}' }],
        description: 'The value of "event" for triggers, computed from "body". Default: the body itself.',
      },
    },
    when({ required: ['format'] }, { properties: { id: false, map: false } }),
  ),
  { propertyNames: { pattern: '^[a-z0-9][a-z0-9_-]{0,63}$' } },
)

/** The shape of `triggers`. */
export const triggersSchema: JsonSchema = object('Settings for all triggers.', {
  'keep-keys': string('How long a dedupe-key is kept: until then it starts no second run.', {
    format: 'duration',
    default: formatDuration(usualKeepKeysMs),
    examples: ['7d'],
  }),
})

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
