/** The shape of a runbook as a JSON Schema: what Ajv checks, with the words that people read in editors. */
import type { JsonSchema } from '../core/json.ts'

const text: JsonSchema = { type: 'string' }
const duration: JsonSchema = { type: 'string', format: 'duration' }
const count: JsonSchema = { type: 'integer', minimum: 1, maximum: 500 }
const codes: JsonSchema = { type: 'array', minItems: 1, items: text }

const retry: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  description: 'How a failed call is repeated.',
  properties: {
    attempts: {
      type: 'integer',
      minimum: 1,
      maximum: 100,
      description: 'Attempts in all, the first one included.',
    },
    delay: { ...duration, description: 'Pause before the first repeat.' },
    backoff: { type: 'number', minimum: 1, maximum: 10, description: 'Factor from one pause to the next.' },
    'max-delay': { ...duration, description: 'No pause is longer.' },
    errors: { ...codes, description: 'Repeat these codes; default: the transient ones.' },
    except: { ...codes, description: 'Never repeat these codes.' },
  },
}

const throttle: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  description: 'How long a rate limit is waited out.',
  properties: { 'max-wait': { ...duration, description: 'All pauses of one call together.' } },
}

const tolerate: JsonSchema = {
  description: 'How many items may fail: a count, a percentage such as 25%, or all.',
  anyOf: [
    { type: 'integer', minimum: 0 },
    { type: 'string', pattern: '^(\\d{1,2}(\\.\\d+)?%|100%|all)$' },
  ],
}

const forEach: JsonSchema = {
  type: 'object',
  required: ['items'],
  additionalProperties: false,
  description: 'Runs the step once for each item of a list.',
  properties: {
    items: { type: 'array', description: 'The list: written out, or one expression.' },
    as: {
      type: 'string',
      pattern: '^[a-z][a-z0-9_]*$',
      default: 'item',
      description: 'Name of the item inside the step.',
    },
    'max-parallel': { ...count, default: 1, description: 'How many items at a time.' },
    tolerate,
  },
}

const step: JsonSchema = {
  type: 'object',
  required: ['id', 'uses'],
  additionalProperties: false,
  properties: {
    id: { type: 'string', description: 'Unique in the runbook; other steps refer to it.' },
    name: { ...text, description: 'For people; never evaluated.' },
    description: { ...text, description: 'For people; never evaluated.' },
    if: { type: 'boolean', description: 'One expression; the step is skipped when it is false.' },
    'for-each': forEach,
    uses: { ...text, description: 'The action.' },
    with: { type: 'object', description: 'The arguments of the action.' },
    'attempt-timeout': { ...duration, description: 'Time of one attempt.' },
    retry,
    throttle,
    tolerate,
    'save-as': {
      ...text,
      minLength: 1,
      description: 'File that the action writes, relative to the artifacts of the run.',
    },
  },
}

export const runbookSchema: JsonSchema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'Opsbook runbook',
  type: 'object',
  required: ['apiVersion', 'name', 'steps'],
  additionalProperties: false,
  properties: {
    apiVersion: { type: 'string', enum: ['opsbook/v1'], description: 'Version of the language.' },
    name: { type: 'string', pattern: '^[a-z][a-z0-9_-]{0,63}$', description: 'Name of the runbook.' },
    title: { ...text, description: 'For people.' },
    description: { ...text, description: 'For people.' },
    labels: { type: 'object', additionalProperties: text, description: 'For finding runs.' },
    inputs: { type: 'object', description: 'JSON Schema of the inputs.' },
    defaults: {
      type: 'object',
      additionalProperties: false,
      description: 'What steps take where they say nothing.',
      properties: { retry, throttle, 'attempt-timeout': duration },
    },
    steps: { type: 'array', minItems: 1, maxItems: 500, items: step, description: 'What is done, in order.' },
    outputs: { type: 'object', description: 'What the run answers with.' },
  },
}

/** Keys of the language that this version does not carry out yet: refused, never ignored. */
export const unsupportedKeys: readonly string[] = [
  'secrets',
  'triggers',
  'concurrency',
  'timeout',
  'catch',
  'finally',
  'continue-on-error',
  'steps',
  'parallel',
  'max-parallel',
  'on-branch-error',
  'connection',
  'expect',
  'repeat',
  'outputs',
]
