import type { JsonSchema } from '../../../core/json.ts'
import { usualAddresses } from '../../usual-addresses.ts'
import { configurationDefaults } from './defaults.ts'
import { reference } from './hooks-schema.ts'

const { oidc, proxyHeaders, socketMode } = configurationDefaults

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

/** What belongs to each way of logging in, besides the type and the roles. */
const waysIn = {
  proxy: { required: [], keys: ['secret', 'headers'] },
  oidc: {
    required: ['issuer', 'client-id', 'client-secret'],
    keys: ['issuer', 'client-id', 'client-secret', 'scopes', 'groups-claim', 'name-claim'],
  },
} as const

const isOfType = (type: string): JsonSchema => ({ required: ['type'], properties: { type: { const: type } } })

const auth: JsonSchema = {
  type: 'object',
  required: ['type', 'roles'],
  additionalProperties: false,
  allOf: (['proxy', 'oidc'] as const).map((type) => ({
    if: isOfType(type),
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { required: [...waysIn[type].required] },
    else: { properties: Object.fromEntries(waysIn[type].keys.map((key) => [key, false])) },
  })),
  description: 'How people log in. Left out: "opsbook console" lets in the system user of "serve".',
  properties: {
    type: {
      type: 'string',
      enum: ['proxy', 'oidc'],
      enumDescriptions: [
        'A proxy logs people in, and names them in headers.',
        'A provider of OpenID Connect logs people in. "public-url" must be there.',
      ],
      description: 'Who logs people in.',
    },
    secret: {
      ...reference,
      examples: ['env:CONSOLE_PROXY_SECRET'],
      description:
        'With proxy: the place of the secret that the proxy sends in a header: env:NAME or file:PATH. A request that names a person without it is refused. Only a console that listens on a unix socket can do without.',
    },
    headers: {
      type: 'object',
      additionalProperties: false,
      description: 'With proxy: the headers that it sends. It must remove those that clients send.',
      properties: {
        user: headerName(proxyHeaders.user, 'The header with the name of the person.'),
        groups: headerName(proxyHeaders.groups, 'The header with their groups, with commas between them.'),
        secret: headerName(proxyHeaders.secret, 'The header with the secret of the proxy.'),
        address: headerName(proxyHeaders.address, 'The header whose last address is that of the client.'),
      },
    },
    issuer: {
      type: 'string',
      pattern: '^(https://[^\\s?#@]+|http://(127\\.0\\.0\\.1|localhost|\\[::1\\])(:\\d+)?(/[^\\s?#@]*)?)$',
      patternErrorMessage: 'Expected an https address, as the provider spells its issuer',
      examples: ['https://login.example.com'],
      description:
        'With oidc: the issuer, as the provider spells it. What it says about itself is below that address.',
    },
    'client-id': {
      type: 'string',
      minLength: 1,
      examples: ['opsbook'],
      description: 'With oidc: the id of this console at the provider.',
    },
    'client-secret': {
      ...reference,
      examples: ['env:CONSOLE_CLIENT_SECRET'],
      description:
        'With oidc: the place of the secret of this console at the provider: env:NAME or file:PATH.',
    },
    scopes: {
      type: 'array',
      uniqueItems: true,
      items: { type: 'string', pattern: '^[\\x21\\x23-\\x5B\\x5D-\\x7E]+$' },
      default: [oidc.scope],
      examples: [['profile', 'groups']],
      description: 'With oidc: what is asked for besides openid.',
    },
    'groups-claim': {
      type: 'string',
      minLength: 1,
      default: oidc.groupsClaim,
      examples: ['groups'],
      description: 'With oidc: the claim with the groups of the person, a list of texts.',
    },
    'name-claim': {
      type: 'string',
      minLength: 1,
      default: oidc.nameClaim,
      examples: ['email'],
      description: 'With oidc: the claim with the name of the person, which they must not be able to choose.',
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
  allOf: [
    {
      // The provider sends people back to that address.
      if: { required: ['auth'], properties: { auth: isOfType('oidc') } },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { required: ['public-url'] },
    },
    {
      if: { required: ['listen'], properties: { listen: { pattern: '^unix:' } } },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { required: ['public-url', 'auth'] },
      else: {
        properties: {
          'socket-mode': false,
          auth: {
            if: isOfType('proxy'),
            // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
            then: { required: ['secret'] },
          },
        },
      },
    },
  ],
  description:
    'Opens the console beside the hooks of "opsbook serve". "opsbook console" prints an address that opens a session.',
  properties: {
    listen: {
      type: 'string',
      pattern: '^(unix:.+|.+:\\d{1,5})$',
      patternErrorMessage: `Expected a host and a port, such as ${usualAddresses.console}, or a unix socket, such as unix:/run/opsbook/console.sock`,
      default: usualAddresses.console,
      examples: [usualAddresses.console, 'unix:/run/opsbook/console.sock'],
      description:
        'The address that it listens on, or a unix socket. One that other machines can reach, or a proxy, needs "auth" and "public-url".',
    },
    'socket-mode': {
      type: 'string',
      enum: ['0600', '0660'],
      enumDescriptions: ['Only the system user of "serve" can use it.', 'Its group can use it, too.'],
      default: socketMode,
      examples: ['0660'],
      description:
        'With a unix socket: who can use it, and so be anybody. The quotes are part of it: "0600" or "0660".',
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
  readonly 'socket-mode'?: '0600' | '0660'
  readonly 'public-url'?: string
  readonly auth?: ProxyAuthDocument | OidcAuthDocument
}

interface ProxyAuthDocument {
  readonly type: 'proxy'
  readonly secret?: string
  readonly headers?: Partial<Readonly<Record<'user' | 'groups' | 'secret' | 'address', string>>>
  readonly roles: RolesDocument
}

/** A provider of OpenID Connect. */
export interface OidcAuthDocument {
  readonly type: 'oidc'
  readonly issuer: string
  readonly 'client-id': string
  readonly 'client-secret': string
  readonly scopes?: readonly string[]
  readonly 'groups-claim'?: string
  readonly 'name-claim'?: string
  readonly roles: RolesDocument
}

type RolesDocument = Partial<
  Readonly<Record<'viewer' | 'operator' | 'approver' | 'admin', readonly string[]>>
>
