import type { JsonSchema } from '../../../core/json.ts'
import { array, choice, nonEmpty, object, string, when } from '../../../core/write-schema.ts'
import { usualAddresses } from '../../usual-addresses.ts'
import { configurationDefaults } from './defaults.ts'
import { reference } from './hooks-schema.ts'

const { oidc, proxyHeaders, socketMode } = configurationDefaults

const headerName = (usual: string, description: string): JsonSchema =>
  string(description, {
    pattern: '^[A-Za-z0-9-]+$',
    patternErrorMessage: 'Expected the name of a header',
    default: usual,
    examples: [usual],
  })

const groups = (may: string): JsonSchema =>
  array(
    `The groups whose members may ${may}. "*": everyone who has logged in.`,
    { type: 'string', minLength: 1 },
    { uniqueItems: true, examples: [['sre']] },
  )

/** What belongs to each way of logging in, besides the type and the roles. */
const waysIn = {
  proxy: { required: [], keys: ['secret', 'headers'] },
  oidc: {
    required: ['issuer', 'client-id', 'client-secret'],
    keys: ['issuer', 'client-id', 'client-secret', 'scopes', 'groups-claim', 'name-claim'],
  },
} as const

const isOfType = (type: string): JsonSchema => ({ required: ['type'], properties: { type: { const: type } } })

const auth: JsonSchema = object(
  'How people log in. Left out: "opsbook console" lets in the system user of "serve".',
  {
    type: choice('Who logs people in.', {
      proxy: 'A proxy logs people in, and names them in headers.',
      oidc: 'A provider of OpenID Connect logs people in. "public-url" must be there.',
    }),
    secret: {
      ...reference,
      examples: ['env:CONSOLE_PROXY_SECRET'],
      description:
        'With proxy: the place of the secret that the proxy sends in a header: env:NAME or file:PATH. A request that names a person without it is refused. Only a console that listens on a unix socket can do without.',
    },
    headers: object('With proxy: the headers that it sends. It must remove those that clients send.', {
      user: headerName(proxyHeaders.user, 'The header with the name of the person.'),
      groups: headerName(proxyHeaders.groups, 'The header with their groups, with commas between them.'),
      secret: headerName(proxyHeaders.secret, 'The header with the secret of the proxy.'),
      address: headerName(proxyHeaders.address, 'The header whose last address is that of the client.'),
    }),
    issuer: string(
      'With oidc: the issuer, as the provider spells it. What it says about itself is below that address.',
      {
        pattern: '^(https://[^\\s?#@]+|http://(127\\.0\\.0\\.1|localhost|\\[::1\\])(:\\d+)?(/[^\\s?#@]*)?)$',
        patternErrorMessage: 'Expected an https address, as the provider spells its issuer',
        examples: ['https://login.example.com'],
      },
    ),
    'client-id': nonEmpty('With oidc: the id of this console at the provider.', { examples: ['opsbook'] }),
    'client-secret': {
      ...reference,
      examples: ['env:CONSOLE_CLIENT_SECRET'],
      description:
        'With oidc: the place of the secret of this console at the provider: env:NAME or file:PATH.',
    },
    scopes: array(
      'With oidc: what is asked for besides openid.',
      { type: 'string', pattern: '^[\\x21\\x23-\\x5B\\x5D-\\x7E]+$' },
      { uniqueItems: true, default: [oidc.scope], examples: [['profile', 'groups']] },
    ),
    'groups-claim': nonEmpty('With oidc: the claim with the groups of the person, a list of texts.', {
      default: oidc.groupsClaim,
      examples: ['groups'],
    }),
    'name-claim': nonEmpty(
      'With oidc: the claim with the name of the person, which they must not be able to choose.',
      { default: oidc.nameClaim, examples: ['email'] },
    ),
    roles: object(
      'Who has which role: groups of the login, and those of "people". Someone without a role sees nothing.',
      {
        viewer: groups('read; every other role may, too'),
        operator: groups('start, pause, continue and cancel runs'),
        approver: groups('answer questions and decide unknown outcomes'),
        admin: groups('do everything'),
      },
      { minProperties: 1 },
    ),
  },
  {
    required: ['type', 'roles'],
    allOf: (['proxy', 'oidc'] as const).map((type) =>
      when(
        isOfType(type),
        { required: [...waysIn[type].required] },
        { properties: Object.fromEntries(waysIn[type].keys.map((key) => [key, false])) },
      ),
    ),
  },
)

/** The shape of `console`. */
export const consoleSchema: JsonSchema = object(
  'Opens the console beside the hooks of "opsbook serve". "opsbook console" prints an address that opens a session.',
  {
    listen: string(
      'The address that it listens on, or a unix socket. One that other machines can reach, or a proxy, needs "auth" and "public-url".',
      {
        pattern: '^(unix:.+|.+:\\d{1,5})$',
        patternErrorMessage: `Expected a host and a port, such as ${usualAddresses.console}, or a unix socket, such as unix:/run/opsbook/console.sock`,
        default: usualAddresses.console,
        examples: [usualAddresses.console, 'unix:/run/opsbook/console.sock'],
      },
    ),
    'socket-mode': choice(
      'With a unix socket: who can use it, and so be anybody. The quotes are part of it: "0600" or "0660".',
      { '0600': 'Only the system user of "serve" can use it.', '0660': 'Its group can use it, too.' },
      { default: socketMode, examples: ['0660'] },
    ),
    'public-url': string('The address that people use, where a proxy with TLS is in front of the console.', {
      pattern: '^https://[^\\s/?#@]+/?$',
      patternErrorMessage: 'Expected an address such as https://ops.example.com, without a path',
      examples: ['https://ops.example.com'],
    }),
    auth,
  },
  {
    allOf: [
      // The provider sends people back to that address.
      when({ required: ['auth'], properties: { auth: isOfType('oidc') } }, { required: ['public-url'] }),
      when(
        { required: ['listen'], properties: { listen: { pattern: '^unix:' } } },
        { required: ['public-url', 'auth'] },
        {
          properties: {
            'socket-mode': false,
            auth: when(isOfType('proxy'), { required: ['secret'] }),
          },
        },
      ),
    ],
  },
)

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
