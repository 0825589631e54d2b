import { createHash } from 'node:crypto'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'

/** What was sent of a record. */
export interface SentRecord {
  readonly bytes: number
  readonly lines: number
  readonly sha256: string
}

/** Sends a record of many megabytes in pieces of very different length, sometimes with a pause between two. */
export async function sendLongRecord(response: ServerResponse): Promise<SentRecord> {
  const hash = createHash('sha256')
  const random = createRandom(7)
  let bytes = 0
  const send = async (piece: string): Promise<void> => {
    hash.update(piece)
    bytes += piece.length
    if (!response.write(piece)) await once(response, 'drain')
    if (random(40) === 0) await new Promise((resolve) => setImmediate(resolve))
  }

  response.writeHead(200, { 'content-type': 'application/x-ndjson' })
  await send('{"type":"session_meta","session_id":"sess_long"}\n')
  const events = 1000
  for (let seq = 1; seq <= events; seq++) {
    const letter = String.fromCharCode(97 + (seq % 26))
    let rest = `{"type":"tool_call","seq":${seq},"output":"${letter.repeat(random(40_000))}"}\n`
    while (rest !== '') {
      const length = 1 + random(rest.length)
      await send(rest.slice(0, length))
      rest = rest.slice(length)
    }
  }
  await send(`{"type":"final_answer","seq":${events + 1},"ts":"2026-03-01T10:00:00Z"}\n`)
  response.end()
  return { bytes, lines: events + 2, sha256: hash.digest('hex') }
}

/** Whole numbers from 0 up to a limit, the same ones each time. */
function createRandom(seed: number): (limit: number) => number {
  let state = seed
  return (limit) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return Math.floor((state / 2 ** 31) * limit)
  }
}
