import { checkInput, refuseProblems } from '../../api/validation/index.ts'
import {
  type ActionDescription,
  type InputProblem,
  ownActionName,
  usualTimeoutMs,
} from '../../core/action.ts'
import { isJsonObject, type JsonObject, type JsonSchema, type JsonValue } from '../../core/json.ts'
import type { Action } from '../action.ts'
import { answerSchema } from '../http/answer-schema.ts'
import type { HttpRequest } from '../http/request.ts'
import type { SendRequest } from '../http/send-request.ts'
import {
  type ApiOperation,
  type OperationChoice,
  type ReadOperation,
  readOperations,
} from './read-operations.ts'

/** A document of OpenAPI, and which of its operations become actions. */
export interface ApiOptions {
  /** The first part of the names of its actions. */
  readonly name: string
  /** OpenAPI 3.0 or 3.1. */
  readonly document: JsonObject
  /** Name of the HTTP connection that the calls go over. */
  readonly connection: string
  /** By operation id. The safety of a call is never guessed. */
  readonly operations: Readonly<Record<string, OperationChoice>>
}

/** The actions of a document, and what keeps others from being one. */
export interface ApiActions {
  readonly actions: readonly Action[]
  /** By operation id. */
  readonly problems: Readonly<Record<string, string>>
}

/** Makes an action of each operation that is named: with the arguments and the outputs that the document says. */
export function buildApiActions({ name, document, connection, operations }: ApiOptions): ApiActions {
  const read = readOperations(document, Object.keys(operations))
  const actions: Action[] = []
  const problems: Record<string, string> = {}
  for (const operation of read) {
    const problem = problemOf(name, operation, actions)
    if (problem === undefined) {
      const choice = operations[operation.id] as OperationChoice
      actions.push(createAction(name, operation as ApiOperation, connection, choice))
    } else problems[operation.id] = problem
  }
  return { actions, problems }
}

function problemOf(api: string, operation: ReadOperation, earlier: readonly Action[]): string | undefined {
  if ('problem' in operation) return operation.problem
  const name = nameOf(api, operation.id)
  if (!ownActionName.test(name)) return `makes no name of an action: ${name}`
  return earlier.some((other) => other.name === name)
    ? `makes the name ${name}, as another one does`
    : undefined
}

/** `listPets` and `pets/list` become `api/list-pets` and `api/pets/list`. */
function nameOf(api: string, id: string): string {
  const words = id
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replace(/[^a-z0-9_/-]+/g, '-')
    .replace(/^-+|-+$/g, '')
  return `${api}/${words}`
}

function createAction(
  api: string,
  operation: ApiOperation,
  connection: string,
  { safety, limits }: OperationChoice,
): Action {
  const description: ActionDescription = {
    name: nameOf(api, operation.id),
    summary: operation.summary,
    safety,
    usesNoConnection: true,
    overHttp: { connection },
    ...(limits === undefined ? {} : { limit: { per: 'connection', ...limits } }),
    savesFile: 'itself',
    defaultTimeoutMs: usualTimeoutMs,
    findOut: `Look the result up in the system of the connection "${connection}".`,
    sensitiveOutput: ['headers.set-cookie'],
    errors: ['HttpRefused', 'HttpFailed', 'RequestTooFrequently', 'LoginRefused', 'OutsideSandbox'],
    input: operation.input,
    output: outputOf(operation.answer),
  }
  const problemsOf = (input: JsonObject): readonly InputProblem[] => {
    const { problems } = checkInput(description, input)
    return problems.length > 0 ? problems : pathProblems(operation, input)
  }
  let sending: Promise<SendRequest> | undefined
  return {
    ...description,
    checkInput: (input) => problemsOf(input),
    async run(input, context) {
      refuseProblems(description.name, problemsOf(input))
      sending ??= import('../http/send-request.ts').then(({ createSender }) =>
        createSender(description, undefined),
      )
      const send = await sending
      return send(requestOf(operation, input) as unknown as JsonObject, context)
    },
  }
}

function outputOf(answer: JsonSchema | undefined): JsonSchema {
  const { body, ...others } = answerSchema.properties
  return {
    type: 'object',
    required: ['status', 'headers', 'body'],
    properties: { ...others, body: answer === undefined ? body : { description: 'The content.', ...answer } },
  }
}

/** The request for some arguments, which have passed the schema. */
function requestOf(operation: ApiOperation, input: JsonObject): HttpRequest {
  const { method, parameters, bodyType } = operation
  const path = operation.path.replace(/\{([^}]+)\}/g, (_, name: string) =>
    encodeURIComponent(textOf(input[name] ?? '')),
  )
  const query: Record<string, JsonValue> = {}
  const headers: Record<string, string> = {}
  for (const [name, place] of Object.entries(parameters)) {
    const value = input[name]
    if (value === undefined || value === null || place.in === 'path') continue
    if (place.in === 'header') headers[name] = textOf(value)
    else if (place.isDeep && isJsonObject(value))
      for (const [key, inner] of Object.entries(value)) query[`${name}[${key}]`] = flat(inner ?? null, true)
    else query[name] = flat(value, place.isRepeated)
  }
  const { body } = input
  const sent =
    bodyType === undefined || body === undefined
      ? {}
      : bodyType === 'json'
        ? { body }
        : { form: fieldsOf(body) }
  return { method, path, query, headers, ...sent } as unknown as HttpRequest
}

/** Values in a path that would name another path. */
function pathProblems({ parameters }: ApiOperation, input: JsonObject): readonly InputProblem[] {
  return Object.keys(parameters).flatMap((name) => {
    const isWrong = parameters[name]?.in === 'path' && ['', '.', '..'].includes(textOf(input[name] ?? ''))
    return isWrong
      ? [{ path: name, message: 'is a part of the address, and must not be empty, "." or ".."' }]
      : []
  })
}

function flat(value: JsonValue, isRepeated: boolean): JsonValue {
  if (Array.isArray(value)) return isRepeated ? value.map(textOf) : value.map(textOf).join(',')
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value
}

function textOf(value: JsonValue): string {
  if (Array.isArray(value)) return value.map(textOf).join(',')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

function fieldsOf(body: JsonValue): JsonValue {
  if (!isJsonObject(body)) return {}
  return Object.fromEntries(Object.entries(body).map(([name, value]) => [name, flat(value ?? null, true)]))
}
