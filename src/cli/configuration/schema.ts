import type { JsonSchema } from '../../core/json.ts'
import { type HookDocument, hooksSchema, triggersSchema } from './hooks-schema.ts'
import { reference } from './reference-schema.ts'

/** The shape of `opsbook.yaml`, for its check and for editors. */
export const configurationSchema: JsonSchema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'Opsbook configuration',
  type: 'object',
  additionalProperties: false,
  properties: {
    connections: {
      type: 'object',
      description: 'The accounts runs can use, by name. "default" is taken where none is named.',
      additionalProperties: {
        type: 'object',
        required: ['base-url', 'app-key'],
        additionalProperties: false,
        properties: {
          'base-url': {
            type: 'string',
            minLength: 1,
            description: 'Address of the service, without the key.',
            examples: ['https://api.example.com'],
          },
          'app-key': {
            ...reference,
            examples: ['env:PRODUCTION_APP_KEY', 'file:./app.key'],
            description: 'Where the key is found: env:NAME or file:PATH. Never the key itself.',
          },
          account: {
            type: 'string',
            minLength: 1,
            description:
              'Connections of one account share its rate budget. Default: one account for each key.',
          },
          'accept-language': {
            type: 'string',
            minLength: 1,
            description: "Language of the service's messages.",
          },
        },
      },
    },
    secrets: {
      type: 'object',
      description: 'Where the secrets that runbooks name come from, by name.',
      additionalProperties: {
        ...reference,
        examples: ['env:TICKETS_TOKEN', 'file:./tickets.token'],
        description: 'Where the secret is found: env:NAME or file:PATH. Never the secret itself.',
      },
    },
    actions: {
      type: 'array',
      items: { type: 'string', minLength: 1 },
      description: 'Modules with actions of your own, relative to this file.',
      examples: [['./actions.mjs']],
    },
    http: {
      type: 'object',
      additionalProperties: false,
      description: 'Where core/http may send requests. Left out: to any address.',
      properties: {
        allow: {
          type: 'array',
          items: { type: 'string', pattern: '^(?:(?:\\*\\.)?[A-Za-z0-9_.-]+|[0-9A-Fa-f:.]+)(?:/\\d{1,3})?$' },
          uniqueItems: true,
          description:
            'Host names, "*." before a name for all below it, addresses and networks. A host is reached where its name or its address is among them.',
          examples: [['hooks.example.com', '*.internal.example.com', '10.1.0.0/16']],
        },
        'deny-private': {
          type: 'boolean',
          default: false,
          description:
            'Refuses this machine, private networks and link-local addresses, whatever name leads to them. Addresses and networks in "allow" stay allowed.',
        },
      },
    },
    notify: {
      type: 'array',
      description: 'Who is told of what a run needs people for.',
      items: {
        type: 'object',
        required: ['on', 'url'],
        additionalProperties: false,
        properties: {
          on: {
            type: 'array',
            minItems: 1,
            uniqueItems: true,
            items: {
              type: 'string',
              enum: [
                'approval_waiting',
                'run_failed',
                'outcome_unknown',
                'start_limit_reached',
                'schedule_missed',
              ],
              enumDescriptions: [
                'A step waits for the answer of a person.',
                'A run has failed.',
                'Nobody knows whether a write was carried out: a person has to find out.',
                'More events came in than may start runs.',
                'A schedule could not start its run in time.',
              ],
            },
            description: 'What is told.',
            examples: [['approval_waiting', 'run_failed', 'outcome_unknown']],
          },
          url: {
            ...reference,
            examples: ['env:OPS_CHAT_URL', 'file:./chat.url'],
            description:
              'Where the address is found: env:NAME or file:PATH. Never the address itself: it is a secret.',
          },
          format: {
            type: 'string',
            enum: ['json', 'slack'],
            enumDescriptions: [
              'A document for programs.',
              'A text, as chats with incoming webhooks take it.',
            ],
            default: 'json',
            description: 'How a message is written.',
          },
        },
      },
    },
    hooks: hooksSchema,
    triggers: triggersSchema,
    engine: {
      type: 'string',
      enum: ['embedded', 'temporal'],
      enumDescriptions: [
        'Runs go on in the process of the command, on this machine.',
        'Runs go on on the workers of a Temporal server.',
      ],
      default: 'embedded',
      description: 'What carries runs out, where no --engine says otherwise.',
    },
    temporal: {
      type: 'object',
      description: 'The Temporal server. What the TEMPORAL_ variables of the environment say goes before it.',
      additionalProperties: false,
      properties: {
        address: {
          type: 'string',
          minLength: 1,
          description: 'Host and port.',
          examples: ['temporal.example.com:7233'],
        },
        namespace: {
          type: 'string',
          minLength: 1,
          description: 'Namespace on that server.',
          default: 'default',
        },
        'task-queue': {
          type: 'string',
          minLength: 1,
          description: 'The queue that the workers of these runs look at.',
          default: 'opsbook',
        },
      },
    },
    'data-dir': { type: 'string', minLength: 1, description: 'Where journals and artifacts are kept.' },
  },
}

/** `opsbook.yaml` as its author writes it. */
export interface ConfigurationDocument {
  readonly connections?: Readonly<Record<string, ConnectionDocument>>
  /** References by the names of the secrets. */
  readonly secrets?: Readonly<Record<string, string>>
  readonly actions?: readonly string[]
  readonly http?: HttpDocument
  readonly notify?: readonly NotifyDocument[]
  readonly hooks?: Readonly<Record<string, HookDocument>>
  readonly triggers?: { readonly 'keep-keys'?: string }
  readonly engine?: 'embedded' | 'temporal'
  readonly temporal?: TemporalDocument
  readonly 'data-dir'?: string
}

export interface HttpDocument {
  readonly allow?: readonly string[]
  readonly 'deny-private'?: boolean
}

export interface TemporalDocument {
  readonly address?: string
  readonly namespace?: string
  readonly 'task-queue'?: string
}

export interface NotifyDocument {
  readonly on: readonly string[]
  readonly url: string
  readonly format?: 'json' | 'slack'
}

export interface ConnectionDocument {
  readonly 'base-url': string
  readonly 'app-key': string
  readonly account?: string
  readonly 'accept-language'?: string
}
