import type { CommandRules } from '../../../actions/index.ts'
import type { JsonSchema } from '../../../core/json.ts'
import type { People } from '../../../core/people/index.ts'
import { usualTemporal } from '../../usual-addresses.ts'
import { type ApiDocument, apisSchema } from './apis-schema.ts'
import { type ConnectionDocument, connectionsSchema } from './connections-schema.ts'
import { type ConsoleDocument, consoleSchema } from './console-schema.ts'
import { configurationDefaults } from './defaults.ts'
import {
  type HookDocument,
  hooksSchema,
  reference,
  type TriggersDocument,
  triggersSchema,
} from './hooks-schema.ts'

const peopleSchema: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  description: 'Who may answer the questions of runs: core/approve and core/ask with from.',
  properties: {
    groups: {
      type: 'object',
      description: 'The groups that from can name, each with the names of its members.',
      additionalProperties: {
        type: 'array',
        uniqueItems: true,
        items: { type: 'string', minLength: 1 },
        examples: [['ada', 'bob']],
      },
    },
    trust: {
      type: 'array',
      uniqueItems: true,
      items: {
        type: 'string',
        enum: ['system-user'],
        enumDescriptions: ['The name of the system user who runs the command counts as verified.'],
      },
      description: 'Where names come from that count as verified, besides logins and tokens.',
      examples: [['system-user']],
    },
  },
}

/** The schema of `opsbook.yaml`, for its check and for editors. */
export const configurationSchema: JsonSchema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'Opsbook configuration',
  type: 'object',
  additionalProperties: false,
  properties: {
    connections: connectionsSchema,
    secrets: {
      type: 'object',
      description: 'The places of the secrets that runbooks name, by name.',
      additionalProperties: {
        ...reference,
        examples: ['env:TICKETS_TOKEN', 'file:./tickets.token'],
        description: 'The place of the secret: env:NAME or file:PATH, never the secret itself.',
      },
    },
    actions: {
      type: 'array',
      items: { type: 'string', minLength: 1 },
      description: 'Modules with actions of your own, relative to this file.',
      examples: [['./actions.mjs']],
    },
    apis: apisSchema,
    http: {
      type: 'object',
      additionalProperties: false,
      description: 'Where core/http may send requests. Default: any address.',
      properties: {
        allow: {
          type: 'array',
          items: { type: 'string', pattern: '^(?:(?:\\*\\.)?[A-Za-z0-9_.-]+|[0-9A-Fa-f:.]+)(?:/\\d{1,3})?$' },
          uniqueItems: true,
          description:
            'Host names, "*." before a name for its subdomains, addresses and networks. A host is allowed if its name or address matches.',
          examples: [['hooks.example.com', '*.internal.example.com', '10.1.0.0/16']],
        },
        'deny-private': {
          type: 'boolean',
          default: false,
          description:
            'Refuses this machine, private networks and link-local addresses, also if a host name resolves to them. Addresses and networks in "allow" stay allowed.',
        },
      },
    },
    commands: {
      type: 'object',
      additionalProperties: false,
      description: 'Where core/command may run commands. Default: nowhere.',
      properties: {
        local: {
          type: 'boolean',
          default: false,
          description: 'On the machine that makes the calls.',
        },
        ssh: {
          type: 'array',
          items: { type: 'string', pattern: '^(?:\\*|(?:\\*\\.)?[A-Za-z0-9_:][A-Za-z0-9_.:-]*)$' },
          uniqueItems: true,
          description:
            'On these hosts by ssh, as steps name them: names and addresses, "*." before a name for its subdomains, "*" for any.',
          examples: [['*.prod.example.com']],
        },
      },
    },
    notify: {
      type: 'array',
      description: 'The targets of notifications about runs.',
      items: {
        type: 'object',
        required: ['url'],
        anyOf: [{ required: ['on'] }, { required: ['name'] }],
        errorMessage: 'is a target with "on", or with a "name" for escalations',
        additionalProperties: false,
        properties: {
          name: {
            type: 'string',
            pattern: '^[a-z0-9][a-z0-9_-]{0,63}$',
            patternErrorMessage: 'Expected a name: a-z, 0-9, _ and -',
            description: 'The name that `escalate.to` of a runbook uses. Several targets can share it.',
            examples: ['leads'],
          },
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
                'A step waits for an answer, or still does: reminders.',
                'A run has failed.',
                'The outcome of a write is unknown, and you have to resolve it.',
                'A trigger has reached its start limit.',
                'A schedule has missed a time.',
              ],
            },
            description: 'The reasons to notify.',
            examples: [['approval_waiting', 'run_failed', 'outcome_unknown']],
          },
          url: {
            ...reference,
            examples: ['env:OPS_CHAT_URL', 'file:./chat.url'],
            description:
              'The place of the address: env:NAME or file:PATH, never the address itself, which is a secret.',
          },
          format: {
            type: 'string',
            enum: ['json', 'slack'],
            enumDescriptions: ['A document for programs.', 'A text for chats with incoming webhooks.'],
            default: configurationDefaults.notifyFormat,
            description: 'The format of a notification.',
          },
        },
      },
    },
    people: peopleSchema,
    hooks: hooksSchema,
    triggers: triggersSchema,
    serve: {
      type: 'object',
      additionalProperties: false,
      description: 'How other systems reach "opsbook serve".',
      properties: {
        'public-url': {
          type: 'string',
          pattern: '^https?://[^\\s/?#@]+(?:/[^\\s?#]*)?$',
          patternErrorMessage: 'Expected an address such as https://ops.example.com',
          examples: ['https://ops.example.com'],
          description:
            'The address under which other systems reach it. The addresses of callbacks begin with it.',
        },
        'callback-key': {
          ...reference,
          examples: ['env:OPSBOOK_CALLBACK_KEY'],
          description:
            'With Temporal: the place of the key that protects the addresses of callbacks, env:NAME or file:PATH. The same on "serve" and all workers.',
        },
      },
    },
    console: consoleSchema,
    engine: {
      type: 'string',
      enum: ['embedded', 'temporal'],
      enumDescriptions: [
        'Runs execute in the process of the command, on this machine.',
        'Runs execute on the workers of a Temporal server.',
      ],
      default: configurationDefaults.engine,
      description: 'The engine that executes runs, unless --engine names another.',
    },
    temporal: {
      type: 'object',
      description: 'The Temporal server. The TEMPORAL_ variables of the environment take precedence.',
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
          default: usualTemporal.namespace,
        },
        'task-queue': {
          type: 'string',
          minLength: 1,
          description: 'The task queue that the workers of these runs poll.',
          default: usualTemporal.taskQueue,
        },
      },
    },
    'data-dir': { type: 'string', minLength: 1, description: 'The folder for journals and artifacts.' },
  },
}

/** `opsbook.yaml` as its author writes it. */
export interface ConfigurationDocument {
  readonly connections?: Readonly<Record<string, ConnectionDocument>>
  /** References by the names of the secrets. */
  readonly secrets?: Readonly<Record<string, string>>
  readonly actions?: readonly string[]
  readonly apis?: Readonly<Record<string, ApiDocument>>
  readonly http?: HttpDocument
  readonly commands?: CommandRules
  readonly notify?: readonly NotifyDocument[]
  readonly people?: People
  readonly hooks?: Readonly<Record<string, HookDocument>>
  readonly triggers?: TriggersDocument
  readonly serve?: ServeDocument
  readonly console?: ConsoleDocument
  readonly engine?: 'embedded' | 'temporal'
  readonly temporal?: TemporalDocument
  readonly 'data-dir'?: string
}

export interface ServeDocument {
  readonly 'public-url'?: string
  readonly 'callback-key'?: string
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
  /** Escalations are sent to it by this name. */
  readonly name?: string
  /** Left out: only escalations are sent to it. */
  readonly on?: readonly string[]
  readonly url: string
  readonly format?: 'json' | 'slack'
}
