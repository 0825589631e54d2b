import { runbookLimits } from '../limits.ts'
import { languageDefaults } from './defaults.ts'
import {
  condition,
  countSetting,
  data,
  durationValue,
  list,
  map,
  mapTemplate,
  oneOf,
  type Section,
  textTemplate,
  toleranceValue,
  words,
} from './section.ts'

export const stepSection: Section = {
  name: 'step',
  title: 'step',
  summary:
    'One thing to do: an action (`uses`), a block of steps (`steps`), branches at the same time (`parallel`), or one of several branches (`choose`).',
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
      value: durationValue,
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
    { key: 'attempt-timeout', value: durationValue, summary: 'Time of one attempt.', example: '90s' },
    { key: 'retry', value: map('retry'), summary: 'How a failed call is retried.' },
    { key: 'throttle', value: map('throttle'), summary: 'How long a call waits for a rate limit.' },
    {
      key: 'tolerate',
      value: toleranceValue,
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
      summary:
        'With `uses`: calls again until a condition on the outputs is true. With `steps`: [runs the block in turns](#turns).',
    },
    {
      key: 'save-as',
      value: textTemplate,
      summary: 'File that the action writes, relative to the artifacts of the run.',
      example: 'session.ndjson',
    },
    {
      key: 'sensitive',
      value: data({
        type: 'array',
        minItems: 1,
        maxItems: 50,
        items: { type: 'string', minLength: 1 },
      }),
      summary:
        'Fields of the action’s outputs that views mask, wherever their values go; `*` stands for each item of a list.',
      example: ['body.data.password'],
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
      value: countSetting(1, runbookLimits.parallel),
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
      default: languageDefaults.parallel.onBranchError,
    },
    {
      key: 'choose',
      value: list('branch', 1, 50),
      summary:
        'Branches of which the first one whose condition is true runs; without one the step is skipped.',
    },
  ],
}

/** The kinds of steps, by the key that decides. */
export type StepKind = 'uses' | 'steps' | 'parallel' | 'choose'

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
    'sensitive',
  ],
  steps: ['finally', 'repeat'],
  parallel: ['max-parallel', 'on-branch-error'],
  choose: [],
}

export const branchSection: Section = {
  name: 'branch',
  title: 'branch',
  summary: 'One branch of `choose`.',
  keys: [
    {
      key: 'when',
      value: condition,
      summary:
        'The branch runs when this is true and no branch before it runs. The last branch can do without.',
      example: "${{ inputs.mode == 'force' }}",
    },
    {
      key: 'steps',
      value: list('step', 0),
      summary: 'The steps of the branch, one after another; an empty list does nothing.',
      isRequired: true,
    },
  ],
}
