import { createHash } from 'node:crypto'

/** The number of a schema for `user_version` of its file. It is different for every text, and never 0. */
export function schemaNumber(schema: string): number {
  const bytes = createHash('sha256').update(schema).digest()
  return (bytes.readUInt32BE(0) >>> 1) + 1
}

/** The reason why a file with another number is refused. */
export const otherSchema = 'it was written by another version of Opsbook'

/** What a user does then. The database is left as it is. */
export const useThatVersion =
  'Use the version that wrote it. Or name another data directory with --data-dir, to start with an empty one. The runs in this one are left as they are.'
