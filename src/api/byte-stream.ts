/** The body of an answer on its way from the socket to a reader. */
export interface ByteStream {
  /** The chunk is copied: its memory is the caller's again after the call. */
  push(chunk: Uint8Array): void
  end(): void
  /** The reader gets what is here already, then the error. */
  fail(error: Error): void
  /**
   * To be read once. The bytes of a chunk are good until the next one is asked for: their memory is used again. A
   * reader that stops early cancels the answer.
   */
  readonly chunks: AsyncIterable<Uint8Array>
}

/** What holds the socket back when the reader is slower. */
export interface ByteFlow {
  pause(): void
  resume(): void
  cancel(): void
}

/** To hand one over takes as long whatever is in it; a larger one would have left the cache before it is read. */
const pieceBytes = 256 * 1024
const highWaterBytes = 4 * pieceBytes

/** Memory that chunks of the socket gather in. */
interface Piece {
  readonly memory: Uint8Array
  filled: number
}

/** What is between the socket and the reader. */
interface Buffered {
  readonly queue: Piece[]
  /** Pieces that the reader is done with. */
  readonly spare: Piece[]
  bytes: number
  isPaused: boolean
  isEnded: boolean
  failure?: Error
  /** There when the reader waits. */
  wake: (() => void) | undefined
}

/** A stream that holds about a megabyte at most, whatever the length of the answer. */
export function createByteStream(flow: ByteFlow): ByteStream {
  const buffered: Buffered = {
    queue: [],
    spare: [],
    bytes: 0,
    isPaused: false,
    isEnded: false,
    wake: undefined,
  }
  return {
    push(chunk) {
      gather(chunk, buffered)
      if (!buffered.isPaused && buffered.bytes >= highWaterBytes) {
        buffered.isPaused = true
        flow.pause()
      }
      // A socket that has much to say says it in one turn of the loop: the reader takes it all at once.
      const { wake } = buffered
      buffered.wake = undefined
      if (wake) setImmediate(wake)
    },
    end() {
      buffered.isEnded = true
      buffered.wake?.()
    },
    fail(error) {
      buffered.failure = error
      buffered.wake?.()
    },
    chunks: read(buffered, flow),
  }
}

function gather(chunk: Uint8Array, buffered: Buffered): void {
  const { queue, spare } = buffered
  for (let taken = 0; taken < chunk.length; ) {
    let piece = queue.at(-1)
    if (!piece || piece.filled === pieceBytes) {
      piece = spare.pop() ?? { memory: Buffer.allocUnsafeSlow(pieceBytes), filled: 0 }
      queue.push(piece)
    }
    const part = chunk.subarray(taken, taken + pieceBytes - piece.filled)
    piece.memory.set(part, piece.filled)
    piece.filled += part.length
    taken += part.length
  }
  buffered.bytes += chunk.length
}

async function* read(buffered: Buffered, flow: ByteFlow): AsyncGenerator<Uint8Array> {
  const { queue, spare } = buffered
  try {
    while (true) {
      const piece = queue.shift()
      if (piece) {
        taken(piece, buffered, flow)
        yield piece.memory.subarray(0, piece.filled)
        piece.filled = 0
        spare.push(piece)
      } else if (buffered.failure) throw buffered.failure
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

function taken({ filled }: Piece, buffered: Buffered, flow: ByteFlow): void {
  buffered.bytes -= filled
  if (buffered.isPaused && buffered.bytes < highWaterBytes / 2) {
    buffered.isPaused = false
    flow.resume()
  }
}
