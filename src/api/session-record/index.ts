/**
 * The record of a session, on its way to a file or to a reader. Both come to the same judgement of whether it is
 * whole, from the same signs.
 */
export type { RecordSign } from './judge-record.ts'
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
