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

/** A stream that holds about a megabyte at most, whatever the length of the answer. */
export function createByteStream(flow: ByteFlow): ByteStream {
  const queue: Uint8Array[] = []
  let queuedBytes = 0
  let isPaused = false
  let isEnded = false
  let failure: Error | undefined
  let wake = (): void => {}

  const taken = (chunk: Uint8Array): Uint8Array => {
    queuedBytes -= chunk.length
    if (isPaused && queuedBytes < highWaterBytes / 2) {
      isPaused = false
      flow.resume()
    }
    return chunk
  }

  async function* read(): AsyncGenerator<Uint8Array> {
    try {
      while (true) {
        const chunk = queue.shift()
        if (chunk) yield taken(chunk)
        else if (failure) throw failure
        else if (isEnded) return
        else
          await new Promise<void>((resolve) => {
            wake = resolve
          })
      }
    } finally {
      if (!isEnded && !failure) flow.cancel()
    }
  }

  return {
    push(chunk) {
      queue.push(chunk)
      queuedBytes += chunk.length
      if (!isPaused && queuedBytes >= highWaterBytes) {
        isPaused = true
        flow.pause()
      }
      wake()
    },
    end() {
      isEnded = true
      wake()
    },
    fail(error) {
      failure = error
      wake()
    },
    chunks: read(),
  }
}
