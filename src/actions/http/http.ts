import { checkInput, refuseProblems } from '../../api/validation/index.ts'
import { type ActionDescription, usualTimeoutMs } from '../../core/action.ts'
import type { JsonSchema } from '../../core/json.ts'
import { exactSize } from '../../core/text/index.ts'
import { array, byName, closed, nonEmpty, string } from '../../core/write-schema.ts'
import type { Action } from '../action.ts'
import { safetyArgument } from '../safety-argument.ts'
import { createAddressRules, type HttpRules } from './address-rules.ts'
import { answerSchema } from './answer-schema.ts'
import { mostBodyFileBytes } from './body-file.ts'
import { asRequest, requestProblems } from './request.ts'
import type { SendRequest } from './send-request.ts'

const name = string('Name of a secret in secrets.')
const prefix = string('Text before the secret.', { examples: ['Bearer '] })

/** A value of a query or a form, or a secret by its name. */
const field: JsonSchema = {
  type: ['string', 'number', 'boolean', 'array', 'null', 'object'],
  items: { type: ['string', 'number', 'boolean', 'null'] },
  required: ['secret'],
  additionalProperties: false,
  properties: { secret: name },
}

const description: ActionDescription = {
  name: 'core/http',
  summary: 'Send one HTTP request, to any address or over a connection',
  safety: 'create',
  safetyBy: {
    argument: 'safety',
    by: 'method',
    values: { GET: 'read', HEAD: 'read', OPTIONS: 'read', PUT: 'idempotent', DELETE: 'idempotent' },
    leftOut: 'read',
  },
  usesNoConnection: true,
  overHttp: {},
  savesFile: 'itself',
  defaultTimeoutMs: usualTimeoutMs,
  findOut:
    'Ask the one who received the request: their own list, or their log, shows whether it arrived and what became of it.',
  secretNames: ['secret-headers.*.secret'],
  optionalSecretNames: ['query.*.secret', 'form.*.secret'],
  addressInput: ['path'],
  sensitiveOutput: ['headers.set-cookie'],
  errors: [
    'HttpRefused',
    'HttpFailed',
    'RequestTooFrequently',
    'RedirectRefused',
    'AddressNotAllowed',
    'LoginRefused',
    'OutsideSandbox',
    'MissingSecret',
  ],
  example: {
    method: 'POST',
    url: 'https://chat.example.com/hooks/operations',
    safety: 'idempotent',
    body: { text: 'The host is back.' },
  },
  input: closed([], {
    method: string('The HTTP method. It decides the safety of the call, unless safety is given.', {
      enum: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
      default: 'GET',
    }),
    url: string('Absolute http or https address, without a user name or password.', {
      examples: ['https://status.example.com/api/incidents'],
    }),
    path: string(
      'With a connection, in place of url: the path below its address. Each value inside it is percent-encoded; a whole expression is taken as it is. Default: the address itself.',
      { examples: ['/api/incidents/${{ inputs.id }}'] },
    ),
    query: byName(
      'Added to the query of the address. A list gives its name once for each item, null leaves it out, { secret: NAME } is a secret.',
      field,
      { examples: [{ limit: 10 }] },
    ),
    headers: byName(
      'Headers without secrets.',
      { type: ['string', 'number'] },
      { examples: [{ Accept: 'application/json' }] },
    ),
    'secret-headers': byName(
      'Headers with secrets, which are given by name.',
      closed(['secret'], { secret: name, prefix }),
      { examples: [{ Authorization: { secret: 'chat_token', prefix: 'Bearer ' } }] },
    ),
    body: {
      description: 'A text is sent unchanged, anything else as JSON. Default, or null: no body.',
      examples: [{ text: 'Done.' }],
    },
    form: byName('In place of body: the fields of a form, which are encoded. Values as in query.', field, {
      examples: [{ grant_type: 'client_credentials', client_secret: { secret: 'client_secret' } }],
    }),
    'body-file': nonEmpty(
      `In place of body: a file of the run, by its path, sent as it is. At most ${exactSize(mostBodyFileBytes)}.`,
      { examples: ['${{ steps.export.outputs.path }}'] },
    ),
    ok: array(
      'The statuses that count as success. Default: 200 to 299. With one from 300 to 399, that redirect is the answer, and is not followed.',
      { type: 'integer', minimum: 200, maximum: 599 },
      { minItems: 1, examples: [[200, 404]] },
    ),
    safety: safetyArgument(
      'Whether a repeat of the call is safe, if the method is misleading.',
      'Makes something new: never repeated when the answer is lost.',
    ),
  }),
  output: answerSchema,
}

/**
 * `core/http`: one request to any address that the rules allow, or over a connection. What sends is loaded with the
 * first one, and keeps sockets for the next.
 */
export function createHttpAction(rules?: HttpRules): Action {
  const { hostProblem, lookup } = createAddressRules(rules)
  const checked: ActionDescription = {
    ...description,
    check(input) {
      const problems = requestProblems(input)
      const { url } = asRequest(input)
      const message =
        problems.length > 0 || url === undefined ? undefined : hostProblem(new URL(url).hostname)
      return message === undefined ? problems : [{ path: 'url', message }]
    },
  }
  let sending: Promise<SendRequest> | undefined
  return {
    ...checked,
    checkInput: (input) => checkInput(checked, input).problems,
    async run(input, context) {
      refuseProblems(checked.name, checkInput(checked, input).problems)
      sending ??= import('./send-request.ts').then(({ createSender }) => createSender(checked, lookup))
      const send = await sending
      return send(input, context)
    },
  }
}
