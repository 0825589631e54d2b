import { expect, it } from 'vitest'
import { createCancellation } from '../../../src/core/host/cancellation.ts'
import { createStopSignals } from '../../../src/engine/attempt/stop-signals.ts'

const reason = { code: 'Cancelled', message: 'not wanted' } as const

it('gives attempts that are cancelled together one signal, also one after the other', () => {
  const signals = createStopSignals(createCancellation())
  const scope = createCancellation()
  const [one, two] = [signals.take(scope), signals.take(scope)]
  expect(two.signal).toBe(one.signal)
  one.release()
  two.release()
  expect(signals.take(scope).signal).toBe(one.signal)
})

it('aborts the attempts of one scope alone, and all of them when the process is to stop', () => {
  const interrupt = createCancellation()
  const signals = createStopSignals(interrupt)
  const [first, second] = [createCancellation(), createCancellation()]
  const [one, two] = [signals.take(first), signals.take(second)]
  first.cancel(reason)
  expect([one.signal.aborted, two.signal.aborted]).toEqual([true, false])
  interrupt.cancel(reason)
  expect(two.signal.aborted).toBe(true)
})

it('lets go of a scope that is over once another one is', () => {
  const interrupt = createCancellation()
  const signals = createStopSignals(interrupt)
  const [first, second] = [createCancellation(), createCancellation()]
  const one = signals.take(first)
  one.release()
  signals.take(second).release()
  interrupt.cancel(reason)
  expect(one.signal.aborted).toBe(false)
})
