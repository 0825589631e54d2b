import { createHash } from 'node:crypto'

/** The number of a schema for `user_version` of its file. It is different for every text, and never 0. */
export function schemaNumber(schema: string): number {
  const bytes = createHash('sha256').update(schema).digest()
  return (bytes.readUInt32BE(0) >>> 1) + 1
}

/** The reason why a file with another number is refused. */
export const otherSchema = 'it was written by another version of Opsbook'
