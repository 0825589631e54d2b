/** The body of an answer on its way from the socket to a reader. */
export interface ByteStream {
  push(chunk: Uint8Array): void
  end(): void
  /** The reader gets what is here already, then the error. */
  fail(error: Error): void
  /** To be read once. A reader that stops early cancels the answer. */
  readonly chunks: AsyncIterable<Uint8Array>
}

/** What holds the socket back when the reader is slower. */
export interface ByteFlow {
  pause(): void
  resume(): void
  cancel(): void
}

const highWaterBytes = 1024 * 1024

/** What is between the socket and the reader. */
interface Buffered {
  readonly queue: Uint8Array[]
  bytes: number
  isPaused: boolean
  isEnded: boolean
  failure?: Error
  wake: () => void
}

/** A stream that holds about a megabyte at most, whatever the length of the answer. */
export function createByteStream(flow: ByteFlow): ByteStream {
  const buffered: Buffered = { queue: [], bytes: 0, isPaused: false, isEnded: false, wake: () => {} }
  return {
    push(chunk) {
      buffered.queue.push(chunk)
      buffered.bytes += chunk.length
      if (!buffered.isPaused && buffered.bytes >= highWaterBytes) {
        buffered.isPaused = true
        flow.pause()
      }
      buffered.wake()
    },
    end() {
      buffered.isEnded = true
      buffered.wake()
    },
    fail(error) {
      buffered.failure = error
      buffered.wake()
    },
    chunks: read(buffered, flow),
  }
}

async function* read(buffered: Buffered, flow: ByteFlow): AsyncGenerator<Uint8Array> {
  try {
    while (true) {
      const chunk = buffered.queue.shift()
      if (chunk) yield taken(chunk, buffered, flow)
      else if (buffered.failure) throw buffered.failure
      else if (buffered.isEnded) return
      else {
        await new Promise<void>((resolve) => {
          buffered.wake = resolve
        })
      }
    }
  } finally {
    if (!buffered.isEnded && !buffered.failure) flow.cancel()
  }
}

function taken(chunk: Uint8Array, buffered: Buffered, flow: ByteFlow): Uint8Array {
  buffered.bytes -= chunk.length
  if (buffered.isPaused && buffered.bytes < highWaterBytes / 2) {
    buffered.isPaused = false
    flow.resume()
  }
  return chunk
}
