import type { SessionExport } from '../operations/index.ts'
import type { RecordScan } from './collect-evidence.ts'

/** What is said of a record that is not truncated, whether it was written to a file or read. */
export type RecordFacts = Pick<SessionExport, 'lines' | 'sub_sessions' | 'complete' | 'signs' | 'doubt'>

export function summarizeRecord({ lines, subSessions, verdict }: RecordScan): RecordFacts {
  const { grade, signs, reasons } = verdict
  return {
    lines,
    sub_sessions: subSessions,
    complete: grade === 'whole' ? 'yes' : 'unknown',
    signs,
    ...(reasons.length > 0 ? { doubt: reasons.join('; ') } : {}),
  }
}
