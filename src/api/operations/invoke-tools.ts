import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts'
import { array, boolean, closed, nonEmpty, string } from '../../core/write-schema.ts'
import type { Operation } from './operation.ts'
import {
  accountIdSchema,
  checkTargetLocator,
  type Target,
  targetFailure,
  targetKindSchema,
  targetLocatorSchema,
  targetSchema,
} from './target.ts'

/**
 * The published names of diagnostic tools: a name close to one of them is probably meant to be it. The set is open, and a
 * target says itself what it has.
 */
const knownTools: readonly string[] = [
  'http.get',
  'mysql.lock_contention',
  'mysql.overview',
  'mysql.query',
  'net.tcp_ping',
  'os.overview',
  'os.top_processes',
]

export interface ToolCall {
  /** Dotted name from the catalog. */
  readonly tool: string
  /** Built from the tool's `input_schema`; left out, an empty object is sent. */
  readonly params?: JsonObject
}

export interface InvokeToolsInput {
  readonly target_locator: string
  /** Any number; 8 go in one call. */
  readonly tools: readonly ToolCall[]
  readonly target_kind?: string
  readonly account_id?: number
}

/** What one tool answered: `data` or `error`, the other one is null. */
export interface ToolResult {
  readonly tool: string
  readonly tool_version?: string
  readonly data: {
    readonly data: JsonObject
    readonly summary?: string
    readonly truncated?: { readonly truncated: boolean; readonly reason?: string }
  } | null
  readonly error: { readonly code: string; readonly message: string } | null
  /** Measured by the agent, without the network. */
  readonly agent_elapsed_ms?: number
  /** Measured by the service, end to end. */
  readonly e2e_elapsed_ms?: number
}

export interface InvokeToolsOutput {
  /** Left out where the kind of the object could not be told. */
  readonly target?: Target
  /** One for each of the tools, in their order. */
  readonly results: readonly ToolResult[]
  readonly error: JsonObject | null
}

/** E4. Source: the API document, "E4 Invoke monitored-object tools". */
export const invokeTools: Operation<InvokeToolsInput, InvokeToolsOutput> = {
  id: 'E4',
  name: 'monit/tools/invoke',
  summary: 'Run diagnostic tools on a monitored object',
  safety: 'read',
  permission: 'Any valid key',
  limit: { per: 'account', perSecond: 10, perMinute: 600 },
  answer: 'json',
  minimumTimeoutMs: 35_000,
  defaultTimeoutMs: 60_000,
  serialize: ['connection.account', 'input.target_locator'],
  batch: {
    argument: 'tools',
    size: 8,
    results: 'results',
    isPositional: true,
    itemError: 'error',
    itemKey: 'tool',
    emptyResult: { data: null },
  },
  input: closed(['target_locator', 'tools'], {
    target_locator: targetLocatorSchema,
    tools: array(
      'Tools to run; any number, 8 go in one call.',
      closed(['tool'], {
        tool: nonEmpty('Dotted name.', { examples: ['os.overview'], suggestions: knownTools }),
        params: { type: 'object', description: "Built from the tool's input_schema.", default: {} },
      }),
      { minItems: 1 },
    ),
    target_kind: targetKindSchema,
    account_id: accountIdSchema,
  }),
  check: checkTargetLocator,
  prepare(input) {
    return { ...input, tools: input.tools.map((call) => ({ ...call, params: call.params ?? {} })) }
  },
  normalize(data) {
    if (!isJsonObject(data)) return data
    const results = Array.isArray(data['results']) ? data['results'].map(normalizeResult) : data['results']
    return {
      ...data,
      ...(results === undefined ? (isJsonObject(data['error']) ? { results: [] } : {}) : { results }),
      error: data['error'] ?? null,
    }
  },
  failure: targetFailure,
  output: {
    type: 'object',
    required: ['results', 'error'],
    properties: {
      target: targetSchema,
      results: array('One for each of the tools, in their order.', {
        type: 'object',
        required: ['tool', 'data', 'error'],
        properties: {
          tool: string('Name of the tool.'),
          tool_version: string('Version that ran.'),
          data: {
            type: ['object', 'null'],
            description: 'null when the tool failed.',
            properties: {
              data: { description: "The tool's own result." },
              summary: string('The result in a sentence.'),
              truncated: {
                type: 'object',
                description: 'Whether the result was cut.',
                properties: { truncated: boolean('It was.') },
              },
            },
          },
          error: {
            type: ['object', 'null'],
            description: 'null when the tool did its work.',
            properties: {
              code: string('Such as target_unreachable.'),
              message: string('What went wrong.'),
            },
          },
          agent_elapsed_ms: { type: 'number', description: 'Measured by the agent, without the network.' },
          e2e_elapsed_ms: { type: 'number', description: 'Measured by the service, end to end.' },
        },
      }),
      error: { type: ['object', 'null'], description: 'Always null in a success.' },
    },
  },
}

const noResult: JsonObject = {
  code: 'invalid_tool_result',
  message: 'the tool answered with neither data nor an error',
}

/**
 * The document wraps a tool's answer (`data: {data, summary, truncated}`) and says null for what is absent.
 * Newer services put the three side by side on the result and leave out what is empty: no `error` is a success.
 */
function normalizeResult(result: JsonValue): JsonValue {
  if (!isJsonObject(result)) return result
  const { data = null, summary, truncated, error = null, ...rest } = result
  if (error !== null) return { ...rest, data, error }
  const isOld = isDocumentShape(result)
  const isNew = 'params' in result && !('agent_elapsed_ms' in result)
  if (data === null && !isNew && (isOld ? 'data' : 'error') in result)
    return { ...rest, data, error: noResult }
  if (isOld && data !== null)
    return { ...rest, data: isJsonObject(data) && !('data' in data) ? { data: {}, ...data } : data, error }
  return {
    ...rest,
    data: {
      data: data ?? {},
      ...(summary === undefined ? {} : { summary }),
      truncated: truncation(truncated),
    },
    error,
  }
}

/** The document's shape always has `agent_elapsed_ms`, and the newer one repeats `params`. Else the fields tell. */
function isDocumentShape(result: JsonObject): boolean {
  if ('summary' in result || 'truncated' in result) return false
  const isTimed = 'agent_elapsed_ms' in result
  return isTimed === 'params' in result ? isJsonObject(result['data']) && 'data' in result['data'] : isTimed
}

function truncation(truncated: JsonValue | undefined): JsonObject {
  if (!isJsonObject(truncated)) return { truncated: truncated === true }
  return { ...truncated, truncated: truncated['truncated'] ?? truncated['reason'] !== undefined }
}
