import type { OnReadOpts, Socket } from 'node:net'
import type { buildConnector as BuildConnector } from 'undici'
import { buildConnector } from './dispatchers.ts'

/**
 * Connects sockets that read into the same memory again and again. By itself Node takes new memory for every read:
 * over a long answer, cleaning that up takes longer than everything else, and waits until there is much of it.
 *
 * What such a socket hands over must be copied before the call returns.
 */
export function createRecyclingConnector(timeoutMs: number): BuildConnector.connector {
  return (options, callback) => {
    const memory = createReadingMemory()
    // The types name the options of TLS alone, which do not know this one.
    const own = { timeout: timeoutMs, onread: memory.onread } as BuildConnector.BuildOptions
    const connect = buildConnector(own)
    connect(options, (...result) => {
      if (result[1]) memory.serve(result[1])
      callback(...result)
    })
  }
}

/** Of larger ones more waits in the socket after a pause, and what waits in two is joined in new memory. */
const bufferBytes = 64 * 1024

interface ReadingBuffer {
  readonly bytes: Buffer
  /** How much the socket had read in all when this was last filled. */
  filledAt: number
}

interface ReadingMemory {
  readonly onread: OnReadOpts
  /** To be called before the socket reads. */
  serve(socket: Socket): void
}

/** The buffers that one socket reads into by turns. */
function createReadingMemory(): ReadingMemory {
  const buffers: ReadingBuffer[] = []
  let current: ReadingBuffer | undefined
  let socket: Socket | undefined
  let bytesRead = 0

  return {
    onread: {
      buffer() {
        // What waits in the socket is what it read last: everything before that has been handed over.
        const handedOver = bytesRead - (socket?.readableLength ?? 0)
        current = buffers.find((buffer) => buffer !== current && buffer.filledAt <= handedOver)
        if (!current) {
          current = { bytes: Buffer.allocUnsafeSlow(bufferBytes), filledAt: 0 }
          buffers.push(current)
        }
        return current.bytes
      },
      callback(length, bytes) {
        bytesRead += length
        if (current) current.filledAt = bytesRead
        return socket?.push(bytes.subarray(0, length)) ?? false
      },
    },
    serve(connected) {
      socket = connected
    },
  }
}
