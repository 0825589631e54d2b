import { type ActionDescription, usualTimeoutMs } from '../action.ts'
import type { JsonSchema } from '../json.ts'
import { reminderArguments } from '../people/index.ts'
import { array, boolean, byName, choice, closed, integer, nonEmpty, object, string } from '../write-schema.ts'

export const duration: JsonSchema = { type: 'string', format: 'duration' }

/** What the actions of the core have in common: they send nothing, so there is nothing to wait for or to repeat. */
export const own: Pick<ActionDescription, 'safety' | 'isLocal' | 'defaultTimeoutMs'> = {
  safety: 'read',
  isLocal: true,
  defaultTimeoutMs: usualTimeoutMs,
}

const message: JsonSchema = nonEmpty('The question.', { examples: ['Go on?'] })

const timeout: JsonSchema = {
  ...duration,
  description: 'How long to wait. Default: without limit.',
  examples: ['30m'],
}

const from: JsonSchema = object(
  'Who may answer, written out. Names are then verified: by a login, or by `people.trust` of `opsbook.yaml`. Default: the first answer counts.',
  {
    groups: array(
      'Members of one of these groups.',
      { type: 'string', minLength: 1 },
      {
        minItems: 1,
        uniqueItems: true,
        errorMessage: 'is a list of names of people.groups in opsbook.yaml, such as [sre-leads]',
        examples: [['sre-leads']],
      },
    ),
    count: integer('How many people must give the same answer. One no is a no.', {
      minimum: 1,
      maximum: 20,
      default: 1,
      examples: [2],
    }),
    'not-starter': boolean(
      'The person who started the run, triggered it, resumed it with changes or said that a call had succeeded may not answer.',
      { default: false },
    ),
  },
  {
    minProperties: 1,
    errorMessage: 'is a map of groups, count or not-starter, such as { groups: [sre-leads], count: 2 }',
  },
)

const answered: Readonly<Record<string, JsonSchema>> = {
  by: string('Who answered last: a name claimed with `--by`, then the system user.'),
  comment: string('The comment on that answer.'),
  at: string('Time of that answer (RFC 3339).'),
}

function answersOf(value: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return array('The answers that count, one for each name, the last one last.', {
    type: 'object',
    properties: { ...value, ...answered },
  })
}

/** The actions that ask people. */
export const questionActions: readonly ActionDescription[] = [
  {
    ...own,
    name: 'core/approve',
    summary: 'Ask a person and wait for the answer',
    input: closed(['message'], {
      message,
      timeout,
      'on-timeout': choice(
        'What happens without an answer.',
        {
          reject: 'Counts as a rejection.',
          approve: 'Counts as an approval.',
          fail: 'The step fails with ApprovalTimeout.',
        },
        { default: 'fail' },
      ),
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
      'on-reject': choice(
        'What a rejection does.',
        {
          fail: 'The step fails with ApprovalRejected.',
          continue: 'The run continues; `approved` is false.',
        },
        { default: 'fail' },
      ),
      from,
      ...reminderArguments,
    }),
    output: closed(['approved', 'by', 'at', 'answers'], {
      approved: boolean('Whether the step was approved.'),
      ...answered,
      answers: answersOf({ approved: boolean('Yes or no.') }),
    }),
    errors: ['ApprovalRejected', 'ApprovalTimeout'],
  },
  {
    ...own,
    name: 'core/ask',
    summary: 'Ask a person for values and wait for them',
    input: closed(['message', 'answer'], {
      message: { ...message, examples: ['Which hosts may be taken out?'] },
      answer: {
        type: 'object',
        errorMessage: 'is a JSON Schema, such as { type: object, properties: { host: { type: string } } }',
        description:
          'JSON Schema of the answer, an object with the fields that a person fills in; written out, since it is the type of `answer` in later steps.',
        examples: [{ type: 'object', required: ['host'], properties: { host: { type: 'string' } } }],
      },
      choices: byName(
        'The values that fields can have, computed when the question is asked.',
        { type: 'array', errorMessage: 'is a list, such as [web-01, web-02]' },
        {
          errorMessage: 'is a map with a list for each field, such as { host: [web-01, web-02] }',
          examples: [{ host: '${{ inputs.hosts }}' }],
        },
      ),
      default: {
        type: 'object',
        description: 'The answer in place of none: with `on-timeout: default`, and with `run --yes`.',
        examples: [{ host: 'web-01' }],
      },
      timeout,
      'on-timeout': choice(
        'What happens without an answer.',
        { fail: 'The step fails with AskTimeout.', default: 'The default is the answer.' },
        { default: 'fail' },
      ),
      from,
      ...reminderArguments,
    }),
    output: closed(['answer', 'by', 'at', 'answers'], {
      answer: { description: 'The answer, with the type of its schema.' },
      ...answered,
      answers: answersOf({ answer: { description: 'The values of one person.' } }),
    }),
    errors: ['AskTimeout'],
  },
]
