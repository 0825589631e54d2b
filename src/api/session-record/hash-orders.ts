import { createHash } from 'node:crypto'

/** To hash the block that lies there in the memory, or to say what came of all blocks. */
export type HashOrder = { readonly start: number; readonly end: number } | 'digest'

/** Carries out orders in their turn. Answers the last one with the SHA-256 as hexadecimal digits, others with ''. */
export type TakeHashOrder = (order: HashOrder) => string

export function createHashOrderTaker(memory: ArrayBufferLike): TakeHashOrder {
  const bytes = Buffer.from(memory)
  const hash = createHash('sha256')
  return (order) => {
    if (order === 'digest') return hash.digest('hex')
    hash.update(bytes.subarray(order.start, order.end))
    return ''
  }
}
