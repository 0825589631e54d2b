import { request } from 'node:http'
import type { Stage } from './stage.ts'

/** Streams of one run, as many pages would have them open. */
export interface Viewers {
  /** What all of them have received so far. */
  readonly bytes: number
  readonly frames: number
  close(): void
}

/** Opens streams, and resolves once each has its first frame. */
export async function openViewers(
  { url, cookie }: Pick<Stage, 'url' | 'cookie'>,
  runId: string,
  count: number,
): Promise<Viewers> {
  let [bytes, frames] = [0, 0]
  const open = Array.from({ length: count }, () =>
    request(`${url}/api/v1/stream?topics=run:${runId}`, { headers: { cookie } }),
  )
  await Promise.all(
    open.map(
      (stream) =>
        new Promise<void>((ready, fail) => {
          stream.on('error', fail).on('response', (answer) => {
            answer.on('error', () => {})
            answer.on('data', (chunk: Buffer) => {
              bytes += chunk.length
              frames += chunk.toString('latin1').split('\nid: ').length - 1
              ready()
            })
          })
          stream.end()
        }),
    ),
  )
  return {
    get bytes() {
      return bytes
    },
    get frames() {
      return frames
    },
    close() {
      for (const stream of open) stream.destroy()
    },
  }
}
