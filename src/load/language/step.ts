import {
  codes,
  condition,
  count,
  data,
  duration,
  list,
  map,
  mapTemplate,
  oneOf,
  type Place,
  template,
  textTemplate,
  tolerance,
  words,
} from './place.ts'

export const stepPlace: Place = {
  name: 'step',
  title: 'step',
  summary:
    'One thing to do: an action (`uses`), a block of steps (`steps`), or branches at the same time (`parallel`).',
  keys: [
    {
      key: 'id',
      value: data({ type: 'string' }),
      summary: 'Unique in the runbook; other steps refer to it.',
      isRequired: true,
      example: 'checks',
    },
    {
      key: 'name',
      value: words,
      summary: 'Name that views show; never evaluated.',
      example: 'Run every tool',
    },
    {
      key: 'description',
      value: words,
      summary: 'Description for readers; never evaluated.',
      example: 'What they say goes into the report.',
    },
    {
      key: 'if',
      value: condition,
      summary: 'The step is skipped when this is false. Evaluated once, before `for-each`.',
      example: '${{ steps.checks.outputs.failed > 0 }}',
    },
    { key: 'for-each', value: map('for-each'), summary: 'Runs the step once for each item of a list.' },
    {
      key: 'timeout',
      value: duration,
      summary: 'Working time of the step; with `for-each`, of each item.',
      example: '5m',
    },
    {
      key: 'continue-on-error',
      value: data({ type: 'boolean' }),
      summary: 'A failure is a warning, and the run continues.',
      default: false,
    },
    { key: 'catch', value: list('catch', 1, 50), summary: 'Steps that run instead when the step fails.' },
    {
      key: 'outputs',
      value: mapTemplate,
      summary: 'What later steps see instead of the outputs of the action; expressions see `outputs`.',
      example: { names: '${{ outputs.tools.map(tool, tool.name) }}' },
    },
    { key: 'uses', value: words, summary: 'The action to call.', example: 'monit/tools/invoke' },
    {
      key: 'with',
      value: mapTemplate,
      summary: 'The arguments of the action.',
      example: { target_locator: '${{ inputs.host }}' },
    },
    {
      key: 'connection',
      value: words,
      summary: 'Name of the connection in opsbook.yaml.',
      example: 'staging',
    },
    { key: 'attempt-timeout', value: duration, summary: 'Time of one attempt.', example: '90s' },
    { key: 'retry', value: map('retry'), summary: 'How a failed call is retried.' },
    { key: 'throttle', value: map('throttle'), summary: 'How long a call waits for a rate limit.' },
    {
      key: 'tolerate',
      value: tolerance,
      summary: 'How many items of a batch may fail: a count, a percentage, or all.',
      default: 0,
      example: '25%',
    },
    {
      key: 'expect',
      value: list('expectation', 1, 50),
      summary: 'What must hold of the outputs, else the step fails with ExpectationFailed.',
    },
    {
      key: 'repeat',
      value: map('repeat'),
      summary: 'Polls: calls again until a condition on the outputs is true.',
    },
    {
      key: 'save-as',
      value: textTemplate,
      summary: 'File that the action writes, relative to the artifacts of the run.',
      example: 'session.ndjson',
    },
    {
      key: 'steps',
      value: list('step'),
      summary: 'A block: these steps, one after another. Their ids are not seen outside.',
    },
    {
      key: 'finally',
      value: list('step'),
      summary: 'With `steps`: runs at the end, also after a failure or a cancellation.',
    },
    { key: 'parallel', value: list('step'), summary: 'Branches that run at the same time.' },
    {
      key: 'max-parallel',
      value: count(1, 500),
      summary: 'With `parallel`: maximum branches at the same time; default: all.',
      example: 4,
    },
    {
      key: 'on-branch-error',
      value: oneOf({
        'wait-all': 'The others run to their end.',
        'cancel-others': 'The others are cancelled.',
      }),
      summary: 'With `parallel`: what a failed branch does to the others.',
      default: 'wait-all',
    },
  ],
}

/** What a step can be, by the key that says so. */
export type StepKind = 'uses' | 'steps' | 'parallel'

/** The keys that go with one kind of step only. */
export const stepKindKeys: Readonly<Record<StepKind, readonly string[]>> = {
  uses: [
    'with',
    'connection',
    'attempt-timeout',
    'retry',
    'throttle',
    'tolerate',
    'expect',
    'repeat',
    'save-as',
  ],
  steps: ['finally'],
  parallel: ['max-parallel', 'on-branch-error'],
}

export const forEachPlace: Place = {
  name: 'for-each',
  title: 'for-each',
  summary: 'Runs a step once for each item of a list. Each item has a scope of its own.',
  keys: [
    {
      key: 'items',
      value: { kind: 'template', schema: { type: 'array', maxItems: 10_000 } },
      summary: 'The list: written out, or one expression.',
      isRequired: true,
      example: '${{ inputs.hosts }}',
    },
    {
      key: 'as',
      value: data({
        type: 'string',
        pattern: '^[a-z][a-z0-9_]*$',
        errorMessage: 'is lower-case letters, digits and "_", a letter first',
      }),
      summary: 'Name of the item inside the step, beside `index`.',
      default: 'item',
    },
    { key: 'max-parallel', value: count(1, 500), summary: 'Maximum items at the same time.', default: 1 },
    { key: 'tolerate', value: tolerance, summary: 'How many items may fail.', default: 0 },
  ],
}

export const retryPlace: Place = {
  name: 'retry',
  title: 'retry',
  summary: 'How a failed call is retried. A create with an unknown outcome never is.',
  keys: [
    {
      key: 'attempts',
      value: count(1, 100),
      summary: 'Maximum attempts, including the first.',
      default: 1,
    },
    { key: 'delay', value: duration, summary: 'Pause before the first retry.', default: '1s' },
    {
      key: 'backoff',
      value: data({ type: 'number', minimum: 1, maximum: 10 }),
      summary: 'Factor from one pause to the next.',
      default: 2,
    },
    { key: 'max-delay', value: duration, summary: 'Maximum pause.', default: '30s' },
    {
      key: 'jitter',
      value: data({ type: 'number', minimum: 0, maximum: 1 }),
      summary: 'Share of a pause by which it may be shorter, so that calls that failed together are spread.',
      default: 0,
      example: 0.5,
    },
    {
      key: 'errors',
      value: codes,
      summary: 'Retry these codes; default: the transient ones.',
      example: ['overloaded', 'timeout'],
    },
    { key: 'except', value: codes, summary: 'Never retry these codes.', example: ['RequestLocked'] },
  ],
}

export const throttlePlace: Place = {
  name: 'throttle',
  title: 'throttle',
  summary: 'How long a call waits after `RequestTooFrequently`.',
  keys: [
    {
      key: 'max-wait',
      value: duration,
      summary: 'All pauses of one call together; over it the call fails.',
      default: '10m',
    },
  ],
}

export const repeatPlace: Place = {
  name: 'repeat',
  title: 'repeat',
  summary: 'Polls: calls an action until a condition on its outputs is true.',
  keys: [
    {
      key: 'until',
      value: condition,
      summary: 'Ends the poll; sees `outputs`.',
      isRequired: true,
      example: "${{ outputs.status == 'enabled' }}",
    },
    { key: 'interval', value: duration, summary: 'Pause between two calls.', default: '5s' },
    {
      key: 'max-wait',
      value: duration,
      summary: 'Maximum time of the poll; over it the step fails.',
      default: '10m',
    },
  ],
}

export const expectationPlace: Place = {
  name: 'expectation',
  title: 'expectation',
  summary: 'A condition on the outputs, or a map of a condition and the message for when it is false.',
  keys: [
    {
      key: 'that',
      value: condition,
      summary: 'What must hold; sees `outputs`.',
      isRequired: true,
      example: '${{ outputs.failed == 0 }}',
    },
    { key: 'message', value: template, summary: 'Message when it does not hold.', example: 'too many tools' },
  ],
}

export const catchPlace: Place = {
  name: 'catch',
  title: 'catch entry',
  summary: 'Steps that handle a failure. The first entry that names its code counts.',
  keys: [
    {
      key: 'errors',
      value: codes,
      summary: 'Error codes, or `[all]`.',
      isRequired: true,
      example: ['AccessDenied'],
    },
    {
      key: 'steps',
      value: list('step'),
      summary: 'Steps that run instead; they see `error`.',
      isRequired: true,
    },
  ],
}
