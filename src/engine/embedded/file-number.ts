import { statSync } from 'node:fs'
import { join } from 'node:path'

/** The number that the file system gives the database file: it stays when the file is moved, a copy gets another one. */
export function fileNumber(dataDir: string): string {
  return String(statSync(join(dataDir, 'opsbook.db'), { bigint: true }).ino)
}
