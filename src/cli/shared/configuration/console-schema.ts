import type { JsonSchema } from '../../../core/json.ts'
import { reference } from './hooks-schema.ts'

const headerName = (usual: string, description: string): JsonSchema => ({
  type: 'string',
  pattern: '^[A-Za-z0-9-]+$',
  patternErrorMessage: 'Expected the name of a header',
  default: usual,
  examples: [usual],
  description,
})

const groups = (may: string): JsonSchema => ({
  type: 'array',
  uniqueItems: true,
  items: { type: 'string', minLength: 1 },
  examples: [['sre']],
  description: `The groups whose members may ${may}. "*": everyone who has logged in.`,
})

const auth: JsonSchema = {
  type: 'object',
  required: ['type', 'secret', 'roles'],
  additionalProperties: false,
  description: 'How people log in. Left out: "opsbook console" lets in the system user of "serve".',
  properties: {
    type: {
      type: 'string',
      enum: ['proxy'],
      enumDescriptions: ['A proxy logs people in, and names them in headers.'],
      description: 'Who logs people in.',
    },
    secret: {
      ...reference,
      examples: ['env:CONSOLE_PROXY_SECRET'],
      description:
        'The place of the secret that the proxy sends in a header: env:NAME or file:PATH. A request that names a person without it is refused.',
    },
    headers: {
      type: 'object',
      additionalProperties: false,
      description: 'The headers that the proxy sends. It must remove those that clients send.',
      properties: {
        user: headerName('X-Forwarded-User', 'The header with the name of the person.'),
        groups: headerName('X-Forwarded-Groups', 'The header with their groups, with commas between them.'),
        secret: headerName('X-Opsbook-Proxy-Secret', 'The header with the secret of the proxy.'),
        address: headerName('X-Forwarded-For', 'The header whose last address is that of the client.'),
      },
    },
    roles: {
      type: 'object',
      additionalProperties: false,
      minProperties: 1,
      description:
        'Who has which role: groups of the login, and those of "people". Someone without a role sees nothing.',
      properties: {
        viewer: groups('read; every other role may, too'),
        operator: groups('start, pause, continue and cancel runs'),
        approver: groups('answer questions and decide unknown outcomes'),
        admin: groups('do everything'),
      },
    },
  },
}

/** The shape of `console`. */
export const consoleSchema: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  description:
    'Opens the console beside the hooks of "opsbook serve". "opsbook console" prints an address that opens a session.',
  properties: {
    listen: {
      type: 'string',
      pattern: '^.+:\\d{1,5}$',
      patternErrorMessage: 'Expected a host and a port, such as 127.0.0.1:8688',
      default: '127.0.0.1:8688',
      examples: ['127.0.0.1:8688'],
      description:
        'The address that it listens on. One that other machines can reach needs "auth" and "public-url".',
    },
    'public-url': {
      type: 'string',
      pattern: '^https://[^\\s/?#@]+/?$',
      patternErrorMessage: 'Expected an address such as https://ops.example.com, without a path',
      examples: ['https://ops.example.com'],
      description: 'The address that people use, where a proxy with TLS is in front of the console.',
    },
    auth,
  },
}

/** The public address of the console, for links in notifications. */
export function consoleAddress({
  console: { 'public-url': address } = {},
}: {
  readonly console?: ConsoleDocument
}): { readonly console?: string } {
  return address === undefined ? {} : { console: address }
}

/** `console` as its author writes it. */
export interface ConsoleDocument {
  readonly listen?: string
  readonly 'public-url'?: string
  readonly auth?: {
    readonly type: 'proxy'
    readonly secret: string
    readonly headers?: Partial<Readonly<Record<'user' | 'groups' | 'secret' | 'address', string>>>
    readonly roles: Partial<Readonly<Record<'viewer' | 'operator' | 'approver' | 'admin', readonly string[]>>>
  }
}
