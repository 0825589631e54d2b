/** The actions that the interpreter runs without an attempt. */
import type { ActionDescription } from '../action.ts'
import type { JsonSchema } from '../json.ts'
import { array, boolean, choice, closed, nonEmpty, string, when } from '../write-schema.ts'
import { duration, own, questionActions } from './question-definitions.ts'

const noOutputs: JsonSchema = closed([], {})

export const builtinActions: readonly ActionDescription[] = [
  {
    ...own,
    name: 'core/wait',
    summary: 'Wait for a duration, or until a time',
    example: { for: '5m' },
    input: closed([], {
      for: { ...duration, description: 'How long.', examples: ['5m'] },
      until: string('Until when (RFC 3339).', { format: 'date-time', examples: ['2026-01-31T08:00:00Z'] }),
    }),
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
    input: closed([], {}),
    output: closed(['at'], {
      at: string('When the run first reached the step (RFC 3339, UTC). A resume does not change it.'),
    }),
  },
  ...questionActions,
  {
    ...own,
    name: 'core/listen',
    summary: 'Wait for an event of a hook, or for a callback of this run',
    example: { hook: 'ci', where: '${{ event.run == run.id }}', timeout: '2h' },
    input: closed(
      [],
      {
        hook: string('The hook of `opsbook.yaml` that receives the event.', {
          pattern: '^[a-z0-9][a-z0-9_-]{0,63}$',
          patternErrorMessage: 'Expected the name of a hook: a-z, 0-9, _ and -',
          examples: ['ci'],
        }),
        callback: string(
          'Instead of `hook`: the callback of this run that receives the event. Its address is `run.callbacks.NAME`.',
          { examples: ['built'] },
        ),
        where: boolean('Condition on `event`. Default: the first event.', {
          examples: ['${{ event.run == run.id }}'],
        }),
        timeout: { ...duration, description: 'How long to wait. Default: without limit.', examples: ['2h'] },
        'on-timeout': choice(
          'What happens without an event.',
          {
            fail: 'The step fails with ListenTimeout.',
            continue: 'The run continues; the step has no `event`.',
          },
          { default: 'fail' },
        ),
      },
      when({ not: { required: ['callback'] } }, { required: ['hook'] }),
    ),
    output: closed(['event', 'event_id', 'received_at'], {
      event: { description: 'The event, as it is recorded.' },
      event_id: string('The id of the event, for `opsbook events show`.'),
      received_at: string('When it was received (RFC 3339).'),
    }),
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
    input: closed(['that'], {
      that: array(
        'Conditions, each a whole expression.',
        { type: 'boolean' },
        { minItems: 1, examples: [['${{ inputs.count > 0 }}']] },
      ),
      message: string('The message if a condition does not hold.'),
    }),
    output: noOutputs,
    errors: ['AssertionFailed'],
  },
  {
    ...own,
    name: 'core/fail',
    summary: 'Fail with an error code of your own',
    example: { code: 'NotReady', message: 'the deployment is not ready' },
    input: closed(['code', 'message'], {
      code: string('The error code, which `catch` can name; written out, and none of Opsbook’s own.', {
        pattern: '^[A-Z][A-Za-z0-9]{0,63}$',
        errorMessage: 'is letters and digits, a capital letter first, such as NotReady',
        examples: ['NotReady'],
      }),
      message: nonEmpty('What happened.', { examples: ['${{ inputs.app }} is not ready'] }),
    }),
    output: noOutputs,
  },
  {
    ...own,
    name: 'core/run',
    summary: 'Run another runbook as a step',
    input: closed(['runbook'], {
      runbook: nonEmpty(
        'File of the runbook, relative to this one; written out, since it becomes part of the plan.',
        { examples: ['./collect.yaml'] },
      ),
      inputs: { type: 'object', description: 'Its inputs.' },
    }),
    output: { type: 'object', description: 'The outputs of the runbook.' },
  },
  {
    ...own,
    name: 'core/log',
    summary: 'Write a line to the log of the run',
    input: closed(['message'], {
      message: string('The line.', { examples: ['${{ steps.checks.outputs.failed }} checks failed'] }),
      level: string('The log level.', { enum: ['debug', 'info', 'warn', 'error'], default: 'info' }),
      data: { description: 'Any value, logged beside the message.' },
    }),
    output: noOutputs,
  },
]
