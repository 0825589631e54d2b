import { RunbookError } from '../../core/run-error.ts'
import type { RecordScan } from './collect-evidence.ts'

/** What came of a record that is not whole. */
export interface TruncatedRest {
  readonly bytes: number
  /** The file that holds it, where one does. */
  readonly path?: string | undefined
  /** What ended the source early. */
  readonly cause?: unknown
}

/** The error for a record that is not whole, with the signs of it. */
export function truncatedExport({ verdict, lines }: RecordScan, rest: TruncatedRest): RunbookError {
  const { bytes, path, cause } = rest
  const because = cause instanceof Error ? ` (${cause.message})` : ''
  const kept = path === undefined ? '' : `; ${bytes} bytes in ${lines} lines are kept in ${path}`
  const message = `the record is not whole: ${verdict.reasons.join('; ')}${because}${kept}`
  return new RunbookError('TruncatedExport', message, {
    details: { signs: verdict.signs, bytes, lines, ...(path === undefined ? {} : { path }) },
    ...(cause === undefined ? {} : { cause }),
  })
}
