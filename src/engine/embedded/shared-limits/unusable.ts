import { RunbookError } from '../../../core/run-error.ts'

/** The error for limits that cannot be shared. Nothing was sent: without them nobody may send. */
export function limitsUnusable(file: string, cause: unknown): RunbookError {
  return new RunbookError('DataDirUnusable', `cannot use ${file}: ${reasonOf(cause)}`, {
    notSent: true,
    cause,
  })
}

/** SQLITE_CORRUPT and SQLITE_NOTADB. */
export function isDamaged(error: unknown): boolean {
  const { errcode } = error as { readonly errcode?: number }
  return errcode !== undefined && [11, 26].includes(errcode & 0xff)
}

function reasonOf(error: unknown): string {
  const { errcode, message } = error as Error & { readonly errcode?: number }
  if (isDamaged(error)) {
    return `it is damaged (${message}); once no process uses this data directory, the next one makes it anew`
  }
  if (errcode === undefined) return message
  if ((errcode & 0xff) === 5) return 'another process keeps it locked; find it, and stop it'
  if ((errcode & 0xff) === 13) return 'the disk is full'
  return message
}
