import { statSync } from 'node:fs'
import { databaseFile } from './database.ts'

/** The number that the file system gives the database file: it stays when the file is moved, a copy gets another one. */
export function fileNumber(dataDir: string): string {
  return String(statSync(databaseFile(dataDir), { bigint: true }).ino)
}
