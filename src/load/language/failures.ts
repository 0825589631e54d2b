/** Sections about what a step does when a call fails. */
import { defaultRetry, defaultThrottle } from '../../core/calls/index.ts'
import { formatDuration } from '../../core/times/index.ts'
import { runbookLimits } from '../limits.ts'
import {
  codesValue,
  condition,
  countSetting,
  data,
  durationSetting,
  durationValue,
  list,
  oneOf,
  type Section,
  template,
} from './section.ts'

export const retrySection: Section = {
  name: 'retry',
  title: 'retry',
  summary: 'How a failed call is retried. A create with an unknown outcome never is.',
  keys: [
    {
      key: 'attempts',
      value: countSetting(1, runbookLimits.attempts),
      summary: 'Maximum attempts, including the first.',
      default: defaultRetry.attempts,
    },
    {
      key: 'delay',
      value: durationValue,
      summary: 'Pause before the first retry.',
      default: formatDuration(defaultRetry.delayMs),
    },
    {
      key: 'backoff',
      value: data({ type: 'number', minimum: 1, maximum: 10 }),
      summary: 'Factor from one pause to the next.',
      default: defaultRetry.backoff,
    },
    {
      key: 'max-delay',
      value: durationValue,
      summary: 'Maximum pause.',
      default: formatDuration(defaultRetry.maxDelayMs),
    },
    {
      key: 'jitter',
      value: data({ type: 'number', minimum: 0, maximum: 1 }),
      summary: 'Share of a pause by which it may be shorter, so that calls that failed together are spread.',
      default: 0,
      example: 0.5,
    },
    {
      key: 'errors',
      value: codesValue,
      summary: 'Retry these codes; default: the transient ones.',
      example: ['overloaded', 'timeout'],
    },
    { key: 'except', value: codesValue, summary: 'Never retry these codes.', example: ['RequestLocked'] },
    {
      key: 'when',
      value: condition,
      summary: 'Retry only when this holds, by default of any code; sees `error`.',
      example: '${{ error.status in [502, 503] }}',
    },
  ],
}

export const throttleSection: Section = {
  name: 'throttle',
  title: 'throttle',
  summary: 'How long a call waits after `RequestTooFrequently`.',
  keys: [
    {
      key: 'max-wait',
      value: durationSetting,
      summary: 'All pauses of one call together; over it the call fails.',
      default: formatDuration(defaultThrottle.maxWaitMs),
    },
  ],
}

export const expectationSection: Section = {
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

export const catchSection: Section = {
  name: 'catch',
  title: 'catch entry',
  summary: 'Steps that handle a failure. The first entry that fits counts.',
  keys: [
    {
      key: 'errors',
      value: codesValue,
      summary: 'Error codes, or `[all]`.',
      isRequired: true,
      example: ['AccessDenied'],
    },
    {
      key: 'when',
      value: condition,
      summary: 'The entry fits only when this holds; sees `error`.',
      example: '${{ error.status == 404 }}',
    },
    {
      key: 'steps',
      value: list('step'),
      summary: 'Steps that run instead; they see `error`.',
      isRequired: true,
    },
    {
      key: 'then',
      value: oneOf({ fail: 'The failure stays what it was.' }),
      summary:
        'What follows when the steps have succeeded. Left out: the failure counts as handled, and the step succeeds, without outputs. `fail`: it stays what it was.',
    },
  ],
}
