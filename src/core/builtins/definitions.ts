/** The actions that the interpreter runs without an attempt. */
import type { ActionDescription } from '../action.ts'
import type { JsonSchema } from '../json.ts'
import { duration, own, questionActions } from './question-definitions.ts'

const noOutputs: JsonSchema = { type: 'object', properties: {}, additionalProperties: false }

export const builtinActions: readonly ActionDescription[] = [
  {
    ...own,
    name: 'core/wait',
    summary: 'Wait for a duration, or until a time',
    example: { for: '5m' },
    input: {
      type: 'object',
      additionalProperties: false,
      properties: {
        for: { ...duration, description: 'How long.', examples: ['5m'] },
        until: {
          type: 'string',
          format: 'date-time',
          description: 'Until when (RFC 3339).',
          examples: ['2026-01-31T08:00:00Z'],
        },
      },
    },
    check: (input) =>
      (input['for'] === undefined) === (input['until'] === undefined)
        ? [{ path: '', message: 'needs exactly one of for and until' }]
        : [],
    output: noOutputs,
  },
  {
    ...own,
    name: 'core/time',
    summary: 'Record the time, for later steps',
    input: { type: 'object', additionalProperties: false, properties: {} },
    output: {
      type: 'object',
      required: ['at'],
      additionalProperties: false,
      properties: {
        at: {
          type: 'string',
          description: 'When the run first reached the step (RFC 3339, UTC). A resume does not change it.',
        },
      },
    },
  },
  ...questionActions,
  {
    ...own,
    name: 'core/listen',
    summary: 'Wait for an event of a hook, or for a callback of this run',
    example: { hook: 'ci', where: '${{ event.run == run.id }}', timeout: '2h' },
    input: {
      type: 'object',
      if: { not: { required: ['callback'] } },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { required: ['hook'] },
      additionalProperties: false,
      properties: {
        hook: {
          type: 'string',
          pattern: '^[a-z0-9][a-z0-9_-]{0,63}$',
          patternErrorMessage: 'Expected the name of a hook: a-z, 0-9, _ and -',
          description: 'The hook of `opsbook.yaml` that receives the event.',
          examples: ['ci'],
        },
        callback: {
          type: 'string',
          description:
            'Instead of `hook`: the callback of this run that receives the event. Its address is `run.callbacks.NAME`.',
          examples: ['built'],
        },
        where: {
          type: 'boolean',
          description: 'Condition on `event`. Default: the first event.',
          examples: ['${{ event.run == run.id }}'],
        },
        timeout: { ...duration, description: 'How long to wait. Default: without limit.', examples: ['2h'] },
        'on-timeout': {
          type: 'string',
          enum: ['fail', 'continue'],
          enumDescriptions: [
            'The step fails with ListenTimeout.',
            'The run continues; the step has no `event`.',
          ],
          default: 'fail',
          description: 'What happens without an event.',
        },
      },
    },
    output: {
      type: 'object',
      required: ['event', 'event_id', 'received_at'],
      additionalProperties: false,
      properties: {
        event: { description: 'The event, as it is recorded.' },
        event_id: { type: 'string', description: 'The id of the event, for `opsbook events show`.' },
        received_at: { type: 'string', description: 'When it was received (RFC 3339).' },
      },
    },
    errors: ['ListenTimeout'],
  },
  {
    ...own,
    name: 'core/set',
    summary: 'Compute values once, for later steps',
    example: { greeting: 'Hello', names: ['web-01', 'web-02'] },
    input: { type: 'object', description: 'Any names with any values.' },
    output: { type: 'object', description: 'The same names and values.' },
  },
  {
    ...own,
    name: 'core/assert',
    summary: 'Fail when a condition does not hold',
    input: {
      type: 'object',
      required: ['that'],
      additionalProperties: false,
      properties: {
        that: {
          type: 'array',
          minItems: 1,
          items: { type: 'boolean' },
          description: 'Conditions, each a whole expression.',
          examples: [['${{ inputs.count > 0 }}']],
        },
        message: { type: 'string', description: 'The message if a condition does not hold.' },
      },
    },
    output: noOutputs,
    errors: ['AssertionFailed'],
  },
  {
    ...own,
    name: 'core/fail',
    summary: 'Fail with an error code of your own',
    example: { code: 'NotReady', message: 'the deployment is not ready' },
    input: {
      type: 'object',
      required: ['code', 'message'],
      additionalProperties: false,
      properties: {
        code: {
          type: 'string',
          pattern: '^[A-Z][A-Za-z0-9]{0,63}$',
          errorMessage: 'is letters and digits, a capital letter first, such as NotReady',
          description: 'The error code, which `catch` can name; written out, and none of Opsbook’s own.',
          examples: ['NotReady'],
        },
        message: {
          type: 'string',
          minLength: 1,
          description: 'What happened.',
          examples: ['${{ inputs.app }} is not ready'],
        },
      },
    },
    output: noOutputs,
  },
  {
    ...own,
    name: 'core/run',
    summary: 'Run another runbook as a step',
    input: {
      type: 'object',
      required: ['runbook'],
      additionalProperties: false,
      properties: {
        runbook: {
          type: 'string',
          minLength: 1,
          description:
            'File of the runbook, relative to this one; written out, since it becomes part of the plan.',
          examples: ['./collect.yaml'],
        },
        inputs: { type: 'object', description: 'Its inputs.' },
      },
    },
    output: { type: 'object', description: 'The outputs of the runbook.' },
  },
  {
    ...own,
    name: 'core/log',
    summary: 'Write a line to the log of the run',
    input: {
      type: 'object',
      required: ['message'],
      additionalProperties: false,
      properties: {
        message: {
          type: 'string',
          description: 'The line.',
          examples: ['${{ steps.checks.outputs.failed }} checks failed'],
        },
        level: {
          type: 'string',
          enum: ['debug', 'info', 'warn', 'error'],
          default: 'info',
          description: 'The log level.',
        },
        data: { description: 'Any value, logged beside the message.' },
      },
    },
    output: noOutputs,
  },
]
