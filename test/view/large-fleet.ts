import type { RunEvent } from '../../src/core/events.ts'
import type { RecordedEvent } from '../../src/core/record/index.ts'
import { usualStartMs as startMs } from '../../src/testing/index.ts'

/**
 * The events of a loop over this many items, 500 at a time, that goes as badly as it can for a screen: every other item
 * fails, each with words of its own, and those in flight wait with long messages.
 */
export function* badFleet(items: number): Generator<RecordedEvent> {
  let seq = 0
  const recorded = (event: RunEvent, atMs: number): RecordedEvent => ({
    seq: ++seq,
    event: { ...event, run_id: 'run_1', at: new Date(startMs + atMs).toISOString() },
  })
  const steps = [
    { path: 'hosts', action: 'block' },
    { path: 'report', action: 'test/read' },
  ]
  yield recorded({ type: 'run_started', runbook: 'test', steps }, 0)
  yield recorded({ type: 'step_started', path: 'hosts', action: 'block' }, 0)
  yield recorded({ type: 'items_counted', path: 'hosts', total: items }, 0)
  for (let index = 0; index < items; index++) {
    const item = `hosts[${index}]`
    const path = `${item}/look`
    const atMs = index * 20
    yield recorded({ type: 'item_started', path: item, item: `host-with-a-long-name-${index}` }, atMs)
    yield recorded({ type: 'step_started', path, action: 'test/read' }, atMs)
    const message = `Shall this be done, whatever it costs? ${'Really? '.repeat(50)}`
    yield recorded({ type: 'waiting', path, reason: 'answer', message }, atMs)
    if (index >= 500) yield* ended(index - 500, atMs, recorded)
  }
}

function* ended(
  index: number,
  atMs: number,
  recorded: (event: RunEvent, atMs: number) => RecordedEvent,
): Generator<RecordedEvent> {
  const item = `hosts[${index}]`
  const path = `${item}/look`
  const word = [...String(index % 400)].map((digit) => 'abcdefghij'[Number(digit)]).join('')
  const error = { code: 'ExecutionFailed', message: `the ${word} was wrong: ${'very '.repeat(100)}`, path }
  const status = index % 2 === 0 ? 'failed' : 'succeeded'
  const failure = index % 2 === 0 ? { error } : {}
  if (index % 2 === 0)
    yield recorded({ type: 'attempt_failed', path, attempt: 1, is_repeated: false, error }, atMs)
  yield recorded({ type: 'step_finished', path, status, attempts: 1, ...failure }, atMs)
  yield recorded({ type: 'item_finished', path: item, status }, atMs)
}
