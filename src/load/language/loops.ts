/** Sections of steps that are repeated: loops, polls and turns of a block. */
import { formatDuration } from '../../core/times/index.ts'
import { runbookLimits } from '../limits.ts'
import { languageDefaults } from './defaults.ts'
import {
  condition,
  countSetting,
  countValue,
  data,
  durationSetting,
  mapTemplate,
  type Section,
  template,
  toleranceValue,
} from './section.ts'

const { forEach, repeat } = languageDefaults

export const forEachSection: Section = {
  name: 'for-each',
  title: 'for-each',
  summary: 'Runs a step once for each item of a list. Each item has a scope of its own.',
  keys: [
    {
      key: 'items',
      value: { kind: 'template', schema: { type: 'array', maxItems: runbookLimits.items } },
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
      default: forEach.as,
    },
    {
      key: 'max-parallel',
      value: countSetting(1, runbookLimits.parallel),
      summary: 'Maximum items at the same time.',
      default: forEach.maxParallel,
    },
    {
      key: 'tolerate',
      value: toleranceValue,
      summary: 'How many items may fail.',
      default: forEach.tolerate,
    },
  ],
}

export const repeatSection: Section = {
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
    {
      key: 'interval',
      value: durationSetting,
      summary: 'Pause between two calls.',
      default: formatDuration(repeat.intervalMs),
    },
    {
      key: 'max-wait',
      value: durationSetting,
      summary: 'Maximum time of the poll; over it the step fails.',
      default: formatDuration(repeat.maxWaitMs),
    },
  ],
}

/** The `repeat` of a block. */
export const turnsSection: Section = {
  name: 'turns',
  title: 'repeat of a block',
  summary: 'Runs a block in turns until a condition is true. Each turn can hand values to the next one.',
  keys: [
    {
      key: 'with',
      value: mapTemplate,
      summary: 'The values of the first turn; the block sees them as `turn`, beside `turn.index`.',
      example: { token: '' },
    },
    {
      key: 'next',
      value: mapTemplate,
      summary: 'The values of the next turn, evaluated after each turn; a value that is left out stays.',
      example: { token: "${{ default(steps.page.outputs.body.next, '') }}" },
    },
    {
      key: 'until',
      value: condition,
      summary:
        'Ends the repetition; evaluated after each turn; sees `next`, `turn` and the steps of the turn.',
      isRequired: true,
      example: "${{ next.token == '' }}",
    },
    {
      key: 'at-most',
      value: countValue(1, 10_000),
      summary: 'Maximum turns; after them the step fails with TooManyTurns.',
      isRequired: true,
      example: 100,
    },
    {
      key: 'interval',
      value: durationSetting,
      summary: 'Pause between two turns; default: none.',
      example: '30s',
    },
    {
      key: 'collect',
      value: template,
      summary: 'A value of each turn; `outputs.items` has them in their order.',
      example: '${{ steps.page.outputs.body.rows }}',
    },
  ],
}
