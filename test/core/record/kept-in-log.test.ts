import { expect, it } from 'vitest'
import { withoutLargeOutputs } from '../../../src/core/record/step-records.ts'

const finished = { type: 'step_finished', path: 'read', outputs: { text: 'x' } }

it.each([
  ['small outputs stay', finished, 16_384, undefined],
  ['large ones go', finished, 16_385, { type: 'step_finished', path: 'read' }],
  ['what is large without outputs stays', { type: 'logged', message: 'x' }, 16_385, undefined],
])('%s', (_, event, length, kept) => {
  expect(withoutLargeOutputs(event, length)).toEqual(kept)
})
