import { type ActionDescription, usualTimeoutMs } from '../action.ts'
import type { JsonSchema } from '../json.ts'
import { reminderArguments } from '../people/index.ts'

export const duration: JsonSchema = { type: 'string', format: 'duration' }

/** What the actions of the core have in common: they send nothing, so there is nothing to wait for or to repeat. */
export const own: Pick<ActionDescription, 'safety' | 'isLocal' | 'defaultTimeoutMs'> = {
  safety: 'read',
  isLocal: true,
  defaultTimeoutMs: usualTimeoutMs,
}

const message: JsonSchema = {
  type: 'string',
  minLength: 1,
  description: 'The question.',
  examples: ['Go on?'],
}

const timeout: JsonSchema = {
  ...duration,
  description: 'How long to wait. Default: without limit.',
  examples: ['30m'],
}

const from: JsonSchema = {
  type: 'object',
  minProperties: 1,
  additionalProperties: false,
  errorMessage: 'is a map of groups, count or not-starter, such as { groups: [sre-leads], count: 2 }',
  description:
    'Who may answer, written out. Names are then verified: by a login, or by `people.trust` of `opsbook.yaml`. Default: the first answer counts.',
  properties: {
    groups: {
      type: 'array',
      minItems: 1,
      uniqueItems: true,
      items: { type: 'string', minLength: 1 },
      errorMessage: 'is a list of names of people.groups in opsbook.yaml, such as [sre-leads]',
      description: 'Members of one of these groups.',
      examples: [['sre-leads']],
    },
    count: {
      type: 'integer',
      minimum: 1,
      maximum: 20,
      default: 1,
      description: 'How many people must give the same answer. One no is a no.',
      examples: [2],
    },
    'not-starter': {
      type: 'boolean',
      default: false,
      description:
        'The person who started the run, triggered it, resumed it with changes or said that a call had succeeded may not answer.',
    },
  },
}

const answered: Readonly<Record<string, JsonSchema>> = {
  by: {
    type: 'string',
    description: 'Who answered last: a name claimed with `--by`, then the system user.',
  },
  comment: { type: 'string', description: 'The comment on that answer.' },
  at: { type: 'string', description: 'Time of that answer (RFC 3339).' },
}

function answersOf(value: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return {
    type: 'array',
    description: 'The answers that count, one for each name, the last one last.',
    items: { type: 'object', properties: { ...value, ...answered } },
  }
}

/** The actions that ask people. */
export const questionActions: readonly ActionDescription[] = [
  {
    ...own,
    name: 'core/approve',
    summary: 'Ask a person and wait for the answer',
    input: {
      type: 'object',
      required: ['message'],
      additionalProperties: false,
      properties: {
        message,
        timeout,
        'on-timeout': {
          type: 'string',
          enum: ['reject', 'approve', 'fail'],
          enumDescriptions: [
            'Counts as a rejection.',
            'Counts as an approval.',
            'The step fails with ApprovalTimeout.',
          ],
          default: 'fail',
          description: 'What happens without an answer.',
        },
        covers: {
          description:
            'What a yes permits: ids of steps that come later, or `any`. Default: every write up to the next `core/approve`, as far as it is known.',
          anyOf: [
            { const: 'any' },
            { type: 'array', minItems: 1, uniqueItems: true, items: { type: 'string' } },
          ],
          errorMessage: 'is a list of steps that come later, each once, such as [drain], or any',
          examples: [['drain'], 'any'],
        },
        'on-reject': {
          type: 'string',
          enum: ['fail', 'continue'],
          enumDescriptions: [
            'The step fails with ApprovalRejected.',
            'The run continues; `approved` is false.',
          ],
          default: 'fail',
          description: 'What a rejection does.',
        },
        from,
        ...reminderArguments,
      },
    },
    output: {
      type: 'object',
      required: ['approved', 'by', 'at', 'answers'],
      additionalProperties: false,
      properties: {
        approved: { type: 'boolean', description: 'Whether the step was approved.' },
        ...answered,
        answers: answersOf({ approved: { type: 'boolean', description: 'Yes or no.' } }),
      },
    },
    errors: ['ApprovalRejected', 'ApprovalTimeout'],
  },
  {
    ...own,
    name: 'core/ask',
    summary: 'Ask a person for values and wait for them',
    input: {
      type: 'object',
      required: ['message', 'answer'],
      additionalProperties: false,
      properties: {
        message: { ...message, examples: ['Which hosts may be taken out?'] },
        answer: {
          type: 'object',
          errorMessage: 'is a JSON Schema, such as { type: object, properties: { host: { type: string } } }',
          description:
            'JSON Schema of the answer, an object with the fields that a person fills in; written out, since it is the type of `answer` in later steps.',
          examples: [{ type: 'object', required: ['host'], properties: { host: { type: 'string' } } }],
        },
        choices: {
          type: 'object',
          errorMessage: 'is a map with a list for each field, such as { host: [web-01, web-02] }',
          description: 'The values that fields can have, computed when the question is asked.',
          additionalProperties: { type: 'array', errorMessage: 'is a list, such as [web-01, web-02]' },
          examples: [{ host: '${{ inputs.hosts }}' }],
        },
        default: {
          type: 'object',
          description: 'The answer in place of none: with `on-timeout: default`, and with `run --yes`.',
          examples: [{ host: 'web-01' }],
        },
        timeout,
        'on-timeout': {
          type: 'string',
          enum: ['fail', 'default'],
          enumDescriptions: ['The step fails with AskTimeout.', 'The default is the answer.'],
          default: 'fail',
          description: 'What happens without an answer.',
        },
        from,
        ...reminderArguments,
      },
    },
    output: {
      type: 'object',
      required: ['answer', 'by', 'at', 'answers'],
      additionalProperties: false,
      properties: {
        answer: { description: 'The answer, with the type of its schema.' },
        ...answered,
        answers: answersOf({ answer: { description: 'The values of one person.' } }),
      },
    },
    errors: ['AskTimeout'],
  },
]
