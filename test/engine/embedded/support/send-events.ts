/**
 * Hands in events in a process of its own, as `serve` does, so that a test can kill it. Prints a line of JSON for each
 * event that is recorded.
 */
import { openEventStore } from '../../../../src/engine/embedded/index.ts'

export interface SendJob {
  readonly dataDir: string
  readonly hook: string
  /** The bodies are `{ n: 0 }` and so on; the ids are their numbers. */
  readonly count: number
}

const { dataDir, hook, count } = JSON.parse(process.argv[2] ?? '') as SendJob
const store = openEventStore({ dataDir })
for (let n = 0; n < count; n++) {
  const event = { hook, id: `e${n}`, type: 'incident', receivedAtMs: Date.now(), body: { n } }
  await store.evaluation({ event, candidates: [] })
  process.stdout.write(`${JSON.stringify({ type: 'recorded', n })}\n`)
}
await store.close()
