import { expect, it } from 'vitest'
import { steadyNow } from '../../../src/api/waits.ts'
import { createRateStock } from '../../../src/engine/temporal/limiter/rate-stock.ts'

const place = { slot: 1, inMs: 0, forMs: 10_000 }
const longMs = 60_000

it('a place can be used when its question was held for longer than a place is good', () => {
  const stock = createRateStock()
  const heardMs = steadyNow()
  stock.add({ places: [place], heldMs: longMs }, heardMs - longMs, heardMs)
  expect(stock.take()?.slot).toBe(1)
})

it('a place cannot be used when the way of its question and answer took longer than it is good', () => {
  const stock = createRateStock()
  const heardMs = steadyNow()
  stock.add({ places: [place], heldMs: 0 }, heardMs - longMs, heardMs)
  expect(stock.take()).toBeUndefined()
  expect(stock.takeNotes()).toMatchObject([{ slot: 1, kind: 'unused' }])
})

it('a clock that was set forward while a question was held makes no place good for longer', () => {
  const stock = createRateStock()
  const heardMs = steadyNow() - place.forMs
  stock.add({ places: [place], heldMs: longMs }, heardMs, heardMs)
  expect(stock.take()).toBeUndefined()
})
