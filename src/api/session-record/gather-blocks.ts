/**
 * Gathers chunks of any size into one block of memory, and hands it over whenever it is full and at the end. The
 * block is used again: what was handed over is valid until the next one is asked for.
 */
export async function* gatherBlocks(
  chunks: AsyncIterable<Uint8Array>,
  block: Buffer,
): AsyncGenerator<Buffer> {
  let filled = 0
  for await (const chunk of chunks) {
    for (let taken = 0; taken < chunk.length; ) {
      const part = chunk.subarray(taken, taken + block.length - filled)
      block.set(part, filled)
      taken += part.length
      filled += part.length
      if (filled === block.length) {
        yield block
        filled = 0
      }
    }
  }
  if (filled > 0) yield block.subarray(0, filled)
}
