/**
 * Session records, written to a file or read line by line. Both judge by the same signs whether the record is
 * whole.
 */
export type { RecordSign } from './judge-record.ts'
export { openPartialFile } from './partial-file.ts'
export { type ReadRecordOptions, type RecordSummary, readRecord } from './read-record.ts'
export {
  type DispatchEvent,
  type ErrorEvent,
  type LlmCallEvent,
  type MessageEvent,
  type OtherLine,
  type SessionLine,
  type SessionMeta,
  type ToolCallEvent,
  toolOutputText,
} from './session-line.ts'
export { writeRecord } from './write-record.ts'
