import type { CommandRules } from '../../../actions/index.ts'
import type { JsonSchema } from '../../../core/json.ts'
import type { People } from '../../../core/people/index.ts'
import {
  array,
  boolean,
  byName,
  choice,
  closed,
  nonEmpty,
  object,
  string,
} from '../../../core/write-schema.ts'
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

const peopleSchema: JsonSchema = object(
  'Who may answer the questions of runs: core/approve and core/ask with from.',
  {
    groups: byName('The groups that from can name, each with the names of its members.', {
      type: 'array',
      uniqueItems: true,
      items: { type: 'string', minLength: 1 },
      examples: [['ada', 'bob']],
    }),
    trust: array(
      'Where names come from that count as verified, besides logins and tokens.',
      {
        type: 'string',
        enum: ['system-user'],
        enumDescriptions: ['The name of the system user who runs the command counts as verified.'],
      },
      { uniqueItems: true, examples: [['system-user']] },
    ),
  },
)

/** The schema of `opsbook.yaml`, for its check and for editors. */
export const configurationSchema: JsonSchema = closed(
  [],
  {
    connections: connectionsSchema,
    secrets: byName('The places of the secrets that runbooks name, by name.', {
      ...reference,
      examples: ['env:TICKETS_TOKEN', 'file:./tickets.token'],
      description: 'The place of the secret: env:NAME or file:PATH, never the secret itself.',
    }),
    actions: array(
      'Modules with actions of your own, relative to this file.',
      { type: 'string', minLength: 1 },
      { examples: [['./actions.mjs']] },
    ),
    apis: apisSchema,
    http: object('Where core/http may send requests. Default: any address.', {
      allow: array(
        'Host names, "*." before a name for its subdomains, addresses and networks. A host is allowed if its name or address matches.',
        { type: 'string', pattern: '^(?:(?:\\*\\.)?[A-Za-z0-9_.-]+|[0-9A-Fa-f:.]+)(?:/\\d{1,3})?$' },
        { uniqueItems: true, examples: [['hooks.example.com', '*.internal.example.com', '10.1.0.0/16']] },
      ),
      'deny-private': boolean(
        'Refuses this machine, private networks and link-local addresses, also if a host name resolves to them. Addresses and networks in "allow" stay allowed.',
        { default: false },
      ),
    }),
    commands: object('Where core/command may run commands. Default: nowhere.', {
      local: boolean('On the machine that makes the calls.', { default: false }),
      ssh: array(
        'On these hosts by ssh, as steps name them: names and addresses, "*." before a name for its subdomains, "*" for any.',
        { type: 'string', pattern: '^(?:\\*|(?:\\*\\.)?[A-Za-z0-9_:][A-Za-z0-9_.:-]*)$' },
        { uniqueItems: true, examples: [['*.prod.example.com']] },
      ),
    }),
    notify: array(
      'The targets of notifications about runs.',
      closed(
        ['url'],
        {
          name: string('The name that `escalate.to` of a runbook uses. Several targets can share it.', {
            pattern: '^[a-z0-9][a-z0-9_-]{0,63}$',
            patternErrorMessage: 'Expected a name: a-z, 0-9, _ and -',
            examples: ['leads'],
          }),
          on: array(
            'The reasons to notify.',
            {
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
            {
              minItems: 1,
              uniqueItems: true,
              examples: [['approval_waiting', 'run_failed', 'outcome_unknown']],
            },
          ),
          url: {
            ...reference,
            examples: ['env:OPS_CHAT_URL', 'file:./chat.url'],
            description:
              'The place of the address: env:NAME or file:PATH, never the address itself, which is a secret.',
          },
          format: choice(
            'The format of a notification.',
            { json: 'A document for programs.', slack: 'A text for chats with incoming webhooks.' },
            { default: configurationDefaults.notifyFormat },
          ),
        },
        {
          anyOf: [{ required: ['on'] }, { required: ['name'] }],
          errorMessage: 'is a target with "on", or with a "name" for escalations',
        },
      ),
    ),
    people: peopleSchema,
    hooks: hooksSchema,
    triggers: triggersSchema,
    serve: object('How other systems reach "opsbook serve".', {
      'public-url': string(
        'The address under which other systems reach it. The addresses of callbacks begin with it.',
        {
          pattern: '^https?://[^\\s/?#@]+(?:/[^\\s?#]*)?$',
          patternErrorMessage: 'Expected an address such as https://ops.example.com',
          examples: ['https://ops.example.com'],
        },
      ),
      'callback-key': {
        ...reference,
        examples: ['env:OPSBOOK_CALLBACK_KEY'],
        description:
          'With Temporal: the place of the key that protects the addresses of callbacks, env:NAME or file:PATH. The same on "serve" and all workers.',
      },
    }),
    console: consoleSchema,
    engine: choice(
      'The engine that executes runs, unless --engine names another.',
      {
        embedded: 'Runs execute in the process of the command, on this machine.',
        temporal: 'Runs execute on the workers of a Temporal server.',
      },
      { default: configurationDefaults.engine },
    ),
    temporal: object('The Temporal server. The TEMPORAL_ variables of the environment take precedence.', {
      address: nonEmpty('Host and port.', { examples: ['temporal.example.com:7233'] }),
      namespace: nonEmpty('Namespace on that server.', { default: usualTemporal.namespace }),
      'task-queue': nonEmpty('The task queue that the workers of these runs poll.', {
        default: usualTemporal.taskQueue,
      }),
    }),
    'data-dir': nonEmpty('The folder for journals and artifacts.'),
  },
  { $schema: 'http://json-schema.org/draft-07/schema#', title: 'Opsbook configuration' },
)

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
