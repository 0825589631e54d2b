import type { JsonSchema } from '../../../core/json.ts'
import { byName, choice, nonEmpty, object, string, when } from '../../../core/write-schema.ts'
import { reference } from './hooks-schema.ts'

/** A text, of which this file may only hold the place. */
function secretAt(description: string, example: string): JsonSchema {
  return { ...reference, examples: [example], description: `${description}: env:NAME or file:PATH.` }
}

const suchAs = (description: string, example: string): JsonSchema =>
  nonEmpty(description, { examples: [example] })

const count: JsonSchema = { type: 'integer', minimum: 1 }

/** The keys of `auth` for each of its types, with those that are required. */
const authTypes: Readonly<
  Record<
    HttpAuthDocument['type'],
    { readonly required: readonly string[]; readonly properties: Readonly<Record<string, JsonSchema>> }
  >
> = {
  bearer: {
    required: ['token'],
    properties: { token: secretAt('The place of the token', 'env:GITHUB_TOKEN') },
  },
  basic: {
    required: ['user', 'password'],
    properties: {
      user: suchAs('The user.', 'ops@example.com'),
      password: secretAt('The place of the password', 'env:JIRA_TOKEN'),
    },
  },
  header: {
    required: ['name', 'value'],
    properties: {
      name: suchAs('The name of the header.', 'X-Api-Key'),
      value: secretAt('The place of its value', 'env:API_KEY'),
    },
  },
  query: {
    required: ['name', 'value'],
    properties: {
      name: suchAs('The name in the query of the address.', 'app_key'),
      value: secretAt('The place of its value', 'env:APP_KEY'),
    },
  },
  oauth2: {
    required: ['token-url', 'client-id', 'client-secret'],
    properties: {
      'token-url': suchAs('Where tokens are given.', 'https://auth.example.com/oauth2/token'),
      'client-id': suchAs('The id of the client.', 'opsbook'),
      'client-secret': secretAt('The place of the secret of the client', 'env:CLIENT_SECRET'),
      scope: suchAs('What the token is for.', 'incidents.read incidents.write'),
      params: byName(
        'Further fields of the request for a token.',
        { type: 'string' },
        { examples: [{ audience: 'https://api.example.com' }] },
      ),
      'credentials-in': choice(
        'Where the id and the secret of the client stand.',
        { header: 'In the header Authorization.', form: 'As client_id and client_secret in the form.' },
        { default: 'header' },
      ),
    },
  },
  aws: {
    required: ['service', 'region', 'access-key-id', 'secret-access-key'],
    properties: {
      service: suchAs('The name of the AWS service in signatures.', 'ec2'),
      region: suchAs('The AWS region.', 'eu-west-1'),
      'access-key-id': secretAt('The place of the id of the access key', 'env:AWS_ACCESS_KEY_ID'),
      'secret-access-key': secretAt('The place of the secret access key', 'env:AWS_SECRET_ACCESS_KEY'),
      'session-token': secretAt('With temporary keys: the place of their token', 'env:AWS_SESSION_TOKEN'),
    },
  },
}

const authNames = Object.keys(authTypes) as HttpAuthDocument['type'][]

const auth: JsonSchema = {
  type: 'object',
  required: ['type'],
  properties: {
    type: string('How requests prove who sends them.', {
      enum: authNames,
      enumDescriptions: [
        'A token in the header Authorization.',
        'A user and a password.',
        'A secret in a header.',
        'A secret in the query of each address.',
        'OAuth2 client credentials: a token is fetched, and renewed before it expires.',
        'Each request is signed: AWS signature version 4.',
      ],
    }),
  },
  allOf: authNames.map((type) =>
    when(
      { required: ['type'], properties: { type: { const: type } } },
      {
        required: authTypes[type].required,
        additionalProperties: false,
        properties: { type: {}, ...authTypes[type].properties },
      },
    ),
  ),
  description: 'How requests prove who sends them. Default: they do not.',
}

/** How many calls are made in a time. */
export const connectionLimitsSchema: JsonSchema = object(
  'How many requests all runs together may send. Default: any number.',
  {
    'per-second': { ...count, description: 'Requests in any second.' },
    'per-minute': { ...count, description: 'Requests in any minute.' },
    'per-day': { ...count, description: 'Requests in any day.' },
  },
  { minProperties: 1, examples: [{ 'per-minute': 80 }] },
)

const fieldPath: JsonSchema = { type: 'string', pattern: '^[^.]+(\\.[^.]+)*$' }

const http: JsonSchema = {
  required: ['base-url'],
  additionalProperties: false,
  properties: {
    type: string('http: any system with an HTTP interface.', { enum: ['http'] }),
    'base-url': string(
      'Address of the system, to which steps add a path. From env:NAME or file:PATH, it is a secret: only its origin is shown.',
      {
        pattern: '^(env:|file:|[hH][tT][tT][pP][sS]?://[^/\\s])',
        errorMessage: 'is an address such as https://api.example.com, or its place: env:NAME or file:PATH',
        examples: ['https://api.github.com', 'env:CHAT_WEBHOOK_URL'],
      },
    ),
    auth,
    headers: byName(
      'Headers of each request. Those of a step take precedence.',
      { type: 'string' },
      { examples: [{ Accept: 'application/vnd.github+json' }] },
    ),
    limits: connectionLimitsSchema,
    errors: object(
      'Where a refusal says its code and its message: paths in its JSON.',
      {
        code: {
          ...fieldPath,
          examples: ['error.code'],
          description: 'The code, which catch and retry can name.',
        },
        message: { ...fieldPath, examples: ['error.message'], description: 'The message for people.' },
      },
      { minProperties: 1 },
    ),
    tls: object(
      'Certificates that the public ones do not cover.',
      {
        ca: secretAt(
          'The certificate authorities to trust in place of the public ones, in PEM',
          'file:./ca.pem',
        ),
        cert: secretAt('The certificate of the client, in PEM', 'file:./client.pem'),
        key: secretAt('The key of the client, in PEM', 'file:./client.key'),
      },
      { minProperties: 1, dependencies: { cert: ['key'], key: ['cert'] } },
    ),
  },
}

const service: JsonSchema = {
  required: ['base-url', 'app-key'],
  additionalProperties: false,
  properties: {
    type: choice(
      'What it leads to.',
      { service: 'An account of the service.', http: 'Any system with an HTTP interface.' },
      { default: 'service' },
    ),
    'base-url': string('Address of the service, without the key.', {
      pattern: '^[hH][tT][tT][pP][sS]?://[^/\\s]',
      errorMessage: 'is an address such as https://api.example.com',
      examples: ['https://api.example.com'],
    }),
    'app-key': {
      ...reference,
      examples: ['env:PRODUCTION_APP_KEY', 'file:./app.key'],
      description: 'The place of the key: env:NAME or file:PATH, never the key itself.',
    },
    account: nonEmpty('Connections of one account share its rate limits. Default: one account for each key.'),
    'accept-language': nonEmpty("Language of the service's messages."),
  },
}

/** The shape of `connections`. */
export const connectionsSchema: JsonSchema = byName(
  'The accounts and systems that runs can use, by name. "default" is used by steps that name none.',
  { type: 'object', ...when({ required: ['type'], properties: { type: { const: 'http' } } }, http, service) },
)

/** A connection as its author writes it. */
export type ConnectionDocument = ServiceDocument | HttpConnectionDocument

/** An account of the service. */
export interface ServiceDocument {
  readonly type?: 'service'
  readonly 'base-url': string
  readonly 'app-key': string
  readonly account?: string
  readonly 'accept-language'?: string
}

/** Any system with an HTTP interface. */
export interface HttpConnectionDocument {
  readonly type: 'http'
  readonly 'base-url': string
  readonly auth?: HttpAuthDocument
  readonly headers?: Readonly<Record<string, string>>
  readonly limits?: {
    readonly 'per-second'?: number
    readonly 'per-minute'?: number
    readonly 'per-day'?: number
  }
  readonly errors?: { readonly code?: string; readonly message?: string }
  readonly tls?: { readonly ca?: string; readonly cert?: string; readonly key?: string }
}

export type HttpAuthDocument =
  | { readonly type: 'bearer'; readonly token: string }
  | { readonly type: 'basic'; readonly user: string; readonly password: string }
  | { readonly type: 'header'; readonly name: string; readonly value: string }
  | { readonly type: 'query'; readonly name: string; readonly value: string }
  | {
      readonly type: 'oauth2'
      readonly 'token-url': string
      readonly 'client-id': string
      readonly 'client-secret': string
      readonly scope?: string
      readonly params?: Readonly<Record<string, string>>
      readonly 'credentials-in'?: 'header' | 'form'
    }
  | {
      readonly type: 'aws'
      readonly service: string
      readonly region: string
      readonly 'access-key-id': string
      readonly 'secret-access-key': string
      readonly 'session-token'?: string
    }

type Connections = Readonly<Record<string, ConnectionDocument>> | undefined

/** The connections to the service, by name. */
export function serviceConnections(connections: Connections): Readonly<Record<string, ServiceDocument>> {
  return Object.fromEntries(
    Object.entries(connections ?? {}).flatMap(([name, one]) =>
      one.type === 'http' ? [] : [[name, one] as const],
    ),
  )
}

/** The connections to other systems, by name. */
export function httpConnections(connections: Connections): Readonly<Record<string, HttpConnectionDocument>> {
  return Object.fromEntries(
    Object.entries(connections ?? {}).flatMap(([name, one]) =>
      one.type === 'http' ? [[name, one] as const] : [],
    ),
  )
}

/** A place of a text, in place of the text itself. */
export function isReference(text: string): boolean {
  return /^(env:[A-Za-z_][A-Za-z0-9_]*|file:.+)$/.test(text)
}

/** The places of what a connection proves itself with. */
export function secretPlaces({ auth, tls }: HttpConnectionDocument): readonly string[] {
  const ofAuth = auth === undefined ? [] : Object.values(auth).filter((value) => typeof value === 'string')
  return [...ofAuth, ...(tls?.key === undefined ? [] : [tls.key])].filter(isReference)
}
