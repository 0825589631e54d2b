/** Where the bytes of a stream are gathered: blocks of memory that take turns. */
export interface BlockRing {
  /** The block whose turn it is, once the work on what it held before is done. Throws the error of that work. */
  next(): Promise<Buffer>
  /** The block that was handed out last is not free before this is done. */
  occupy(work: Promise<unknown>): void
  /** Waits for the work on all blocks, and throws the first error of it. */
  settled(): Promise<void>
}

export function createBlockRing(memory: SharedArrayBuffer, blockBytes: number): BlockRing {
  const count = memory.byteLength / blockBytes
  const works: Promise<unknown>[] = []
  let turn = -1
  return {
    async next() {
      turn = (turn + 1) % count
      await works[turn]
      return Buffer.from(memory, turn * blockBytes, blockBytes)
    },
    occupy(work) {
      // The error is thrown to whoever waits, and nobody may wait for a while.
      work.catch(() => {})
      works[turn] = work
    },
    async settled() {
      for (const work of works) await work
    },
  }
}

/** Gathers chunks of any size into blocks, and hands over each one that is full, and the last one as it is. */
export async function* gatherBlocks(
  chunks: AsyncIterable<Uint8Array>,
  ring: BlockRing,
): AsyncGenerator<Buffer> {
  let block = await ring.next()
  let filled = 0
  for await (const chunk of chunks) {
    for (let taken = 0; taken < chunk.length; ) {
      const part = chunk.subarray(taken, taken + block.length - filled)
      // `set` copies byte by byte where memory is shared.
      block.fill(part, filled, filled + part.length)
      taken += part.length
      filled += part.length
      if (filled === block.length) {
        yield block
        block = await ring.next()
        filled = 0
      }
    }
  }
  if (filled > 0) yield block.subarray(0, filled)
}
