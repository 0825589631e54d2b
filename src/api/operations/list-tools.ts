import { usualTimeoutMs } from '../../core/action.ts'
import { isJsonObject, type JsonObject, type JsonSchema } from '../../core/json.ts'
import { array, closed, string } from '../../core/write-schema.ts'
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

export interface ListToolsInput {
  readonly target_locator: string
  readonly target_kind?: string
  readonly account_id?: number
}

export interface Tool {
  readonly name: string
  readonly target_kind?: string
  readonly description?: string
  /** JSON Schema of the tool's `params`. */
  readonly input_schema: JsonSchema
}

export interface ListToolsOutput {
  /** Left out where the kind of the object could not be told. */
  readonly target?: Target
  readonly tools: readonly Tool[]
  readonly error: JsonObject | null
}

/** The tool catalog. Its shape is not in the document; source: the service notes. */
export const listTools: Operation<ListToolsInput, ListToolsOutput> = {
  id: 'catalog',
  name: 'monit/tools/catalog',
  summary: 'List the diagnostic tools of a monitored object, with the schema of their params',
  safety: 'read',
  permission: 'Any valid key',
  limit: { per: 'account', perSecond: 10, perMinute: 600 },
  answer: 'json',
  defaultTimeoutMs: usualTimeoutMs,
  input: closed(['target_locator'], {
    target_locator: targetLocatorSchema,
    target_kind: targetKindSchema,
    account_id: accountIdSchema,
  }),
  check: checkTargetLocator,
  // Newer services leave out what is null.
  normalize: (data) => (isJsonObject(data) ? { ...data, error: data['error'] ?? null } : data),
  failure: targetFailure,
  output: {
    type: 'object',
    required: ['tools'],
    properties: {
      target: targetSchema,
      tools: array('The tools of the object.', {
        type: 'object',
        required: ['name'],
        properties: {
          name: string('Dotted name.'),
          target_kind: string('Kind of object it is for.'),
          description: string('What it looks at.'),
          input_schema: { type: 'object', description: 'JSON Schema of its params.' },
        },
      }),
      error: { type: ['object', 'null'], description: 'Always null in a success.' },
    },
  },
}
