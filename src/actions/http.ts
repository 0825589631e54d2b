import { checkInput } from '../api/check-input.ts'
import type { ActionDescription } from '../core/action.ts'
import type { Action } from './action.ts'
import { createAddressRules, type HttpRules } from './http/address-rules.ts'
import { asRequest } from './http/request.ts'
import { requestProblems } from './http/request-problems.ts'
import type { SendRequest } from './http/send-request.ts'

const name = { type: 'string', description: 'Name of a secret in secrets.' }
const prefix = { type: 'string', description: 'Text before the secret.', examples: ['Bearer '] }

const description: ActionDescription = {
  name: 'core/http',
  summary: 'Send one HTTP request to any address',
  safety: 'create',
  safetyBy: {
    argument: 'safety',
    by: 'method',
    values: { GET: 'read', HEAD: 'read', OPTIONS: 'read', PUT: 'idempotent', DELETE: 'idempotent' },
    leftOut: 'read',
  },
  usesNoConnection: true,
  savesFile: 'itself',
  defaultTimeoutMs: 30_000,
  findOut:
    'Ask the one who received the request: their own list, or their log, shows whether it arrived and what became of it.',
  secretNames: ['secret-headers.*.secret'],
  sensitiveOutput: ['headers.set-cookie'],
  errors: [
    'HttpRefused',
    'HttpFailed',
    'RedirectRefused',
    'AddressNotAllowed',
    'OutsideSandbox',
    'MissingSecret',
  ],
  example: {
    method: 'POST',
    url: 'https://chat.example.com/hooks/operations',
    safety: 'idempotent',
    body: { text: 'The host is back.' },
  },
  input: {
    type: 'object',
    required: ['url'],
    additionalProperties: false,
    properties: {
      method: {
        type: 'string',
        enum: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
        default: 'GET',
        description: 'The HTTP method. It decides the safety of the call, unless safety is given.',
      },
      url: {
        type: 'string',
        description: 'Absolute http or https address, without a user name or password.',
        examples: ['https://status.example.com/api/incidents'],
      },
      query: {
        type: 'object',
        additionalProperties: {
          type: ['string', 'number', 'boolean', 'array'],
          items: { type: ['string', 'number', 'boolean'] },
        },
        description: 'Added to the query of the address; a list gives its name once for each item.',
        examples: [{ limit: 10 }],
      },
      headers: {
        type: 'object',
        additionalProperties: { type: ['string', 'number'] },
        description: 'Headers without secrets.',
        examples: [{ Accept: 'application/json' }],
      },
      'secret-headers': {
        type: 'object',
        additionalProperties: {
          type: 'object',
          required: ['secret'],
          additionalProperties: false,
          properties: { secret: name, prefix },
        },
        description: 'Headers with secrets, which are given by name.',
        examples: [{ Authorization: { secret: 'chat_token', prefix: 'Bearer ' } }],
      },
      body: {
        description: 'A text is sent unchanged, anything else as JSON. Default, or null: no body.',
        examples: [{ text: 'Done.' }],
      },
      ok: {
        type: 'array',
        minItems: 1,
        items: { type: 'integer', minimum: 200, maximum: 599 },
        description: 'The statuses that count as success. Default: 200 to 299.',
        examples: [[200, 404]],
      },
      safety: {
        type: 'string',
        enum: ['read', 'idempotent', 'create'],
        enumDescriptions: [
          'Changes nothing.',
          'Once or twice has the same effect.',
          'Makes something new: never repeated when the answer is lost.',
        ],
        description: 'Whether a repeat of the call is safe, if the method is misleading.',
      },
    },
  },
  output: {
    type: 'object',
    required: ['status', 'headers', 'body'],
    properties: {
      status: { type: 'integer', description: 'The status of the answer.' },
      headers: {
        type: 'object',
        additionalProperties: { type: 'string' },
        description: 'Its headers, names in lower case.',
      },
      body: {
        description: 'The content: parsed if it is JSON, else a text, else base64. Null without content.',
      },
    },
  },
}

/**
 * `core/http`: one request to any address that the rules allow. What sends is loaded with the first one, and keeps
 * connections for the next.
 */
export function createHttpAction(rules?: HttpRules): Action {
  const { hostProblem, lookup } = createAddressRules(rules)
  const checked: ActionDescription = {
    ...description,
    check(input) {
      const problems = requestProblems(input)
      const message = problems.length > 0 ? undefined : hostProblem(new URL(asRequest(input).url).hostname)
      return message === undefined ? problems : [{ path: 'url', message }]
    },
  }
  let sending: Promise<SendRequest> | undefined
  return {
    ...checked,
    checkInput: (input) => checkInput(checked, input).problems,
    async run(input, context) {
      sending ??= import('./http/send-request.ts').then(({ createSender }) => createSender(checked, lookup))
      const send = await sending
      return send(input, context)
    },
  }
}
