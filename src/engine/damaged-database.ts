import { basename } from 'node:path'
import { RunbookError } from '../core/run-error.ts'

/** Whether SQLite found that a file is damaged. Not every error of the library has an error number. */
export function isDamage(error: unknown): error is Error {
  if (!(error instanceof Error)) return false
  const { code, errcode = 0, message } = error as NodeJS.ErrnoException & { readonly errcode?: number }
  const isOfSqlite = code === 'ERR_SQLITE_ERROR' && /malformed|not a database|corrupt/.test(message)
  return isOfSqlite || [corrupt, notDatabase].includes(errcode & 0xff)
}

const corrupt = 11
const notDatabase = 26

/** The error of a damaged database of a data directory. `isLost`: there is nothing in the file to rescue. */
export function damagedDatabase(
  file: string,
  problem: string,
  { isLost = false, cause }: { readonly isLost?: boolean; readonly cause?: unknown } = {},
): RunbookError {
  const rescue = `"sqlite3 ${basename(file)} .recover" rescues what can still be read.`
  return new RunbookError('DataDirUnusable', `${file} is damaged: ${problem}`, {
    notSent: true,
    next: `Restore the data directory from a backup, move it away to start with an empty one, or name another one with --data-dir.${isLost ? '' : ` ${rescue}`}`,
    cause,
  })
}
