import { expect, test } from 'vitest'
import type { RecordedEvent } from '../../src/core/record/run-record.ts'
import { createKnownEvents } from '../../src/engine/temporal/client/temporal-engine.ts'

const log = [1, 2, 3].map((seq) => ({ seq }) as RecordedEvent)

/** A log of which more is there with each read. */
function openLog() {
  const asked: (number | undefined)[] = []
  const readEvents = async (_: string, afterSeq = 0): Promise<readonly RecordedEvent[]> => {
    asked.push(afterSeq)
    await Promise.resolve()
    if (afterSeq === 2 && asked.length === 2) throw new Error('the server is away')
    return log.filter(({ seq }) => seq > afterSeq && seq <= Math.max(2, asked.length))
  }
  return { asked, eventsOf: createKnownEvents(readEvents) }
}

test('callers at the same time see each event once, and a read that fails forgets nothing', async () => {
  const { asked, eventsOf } = openLog()
  const [first, second, third] = await Promise.allSettled([eventsOf('a'), eventsOf('a'), eventsOf('a')])
  expect(first).toMatchObject({ value: log.slice(0, 2) })
  expect(second).toMatchObject({ reason: { message: 'the server is away' } })
  expect(third).toMatchObject({ value: log })
  expect(asked).toEqual([0, 2, 2])
})

test('a list that was answered does not change when more is read', async () => {
  const { eventsOf } = openLog()
  const before = await eventsOf('a')
  await eventsOf('a').catch(() => undefined)
  await eventsOf('a')
  expect(before).toHaveLength(2)
})
