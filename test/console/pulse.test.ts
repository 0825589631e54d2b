import { expect, test } from 'vitest'
import { createPulse } from '../../src/console/server/stream/pulse.ts'

test('who reads the document when it is told of it misses no change, also while the first look takes its time', async () => {
  let document = { waiting: 1 }
  let letIn = (): void => {}
  const gate = new Promise<void>((resolve) => {
    letIn = resolve
  })
  const failures: unknown[] = []
  const read = async () => {
    await gate
    return document
  }
  const pulse = createPulse(read, 3_600_000, (error) => failures.push(error))
  const seen: number[] = []
  const leave = pulse.listen(() => seen.push(document.waiting))
  document = { waiting: 2 }
  letIn()
  await expect.poll(() => seen).toEqual([2])
  const late: number[] = []
  pulse.listen(() => late.push(document.waiting))
  expect([late, failures]).toEqual([[2], []])
  leave()
  pulse.close()
})
