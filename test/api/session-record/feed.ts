import type { SessionExport } from '../../../src/api/operations/index.ts'
import {
  type ReadRecordOptions,
  type RecordSummary,
  readRecord,
  type SessionLine,
} from '../../../src/api/session-record/index.ts'
import { createRecordScanner } from '../../../src/api/session-record/scan-record.ts'
import type { JsonObject } from '../../../src/core/json.ts'
import { RunbookError } from '../../../src/core/run-error.ts'
import { event, meta } from './records.ts'

/** What a test compares. */
export interface Outcome {
  readonly lines: unknown
  readonly subSessions: unknown
  readonly verdict: string
  readonly signs: unknown
  readonly doubt?: unknown
}

export const bytesOf = (text: string | Buffer): Buffer => Buffer.from(text)

export function everyByte(text: string | Buffer): readonly Buffer[] {
  return Array.from(bytesOf(text), (byte) => Buffer.from([byte]))
}

export function splitAt(bytes: Buffer, at: number): readonly Buffer[] {
  return [bytes.subarray(0, at), bytes.subarray(at)]
}

export async function* inChunks(...chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks
}

/** Lines that make a record of some megabytes, in chunks of an odd size. */
export async function* largeRecord(lines: number): AsyncGenerator<Uint8Array> {
  let rest = meta('s')
  for (let seq = 1; seq <= lines; seq++) {
    rest += event('tool_call', seq, { output: 'é'.repeat(400) })
    if (rest.length < 70_001) continue
    yield Buffer.from(rest)
    rest = ''
  }
  yield Buffer.from(rest)
}

/** Chunks, and then the end of the connection. */
export async function* thenFailing(
  error: unknown,
  ...chunks: readonly Uint8Array[]
): AsyncGenerator<Uint8Array> {
  yield* chunks
  throw error
}

export async function errorOf(work: Promise<unknown>): Promise<RunbookError> {
  const thrown: unknown = await work.then(
    () => undefined,
    (error: unknown) => error,
  )
  if (!RunbookError.is(thrown)) throw new Error(`no RunbookError but ${String(thrown)}`)
  return thrown
}

/** What came of writing a record. */
export async function writingOf(work: Promise<SessionExport>): Promise<Outcome> {
  try {
    const { lines, sub_sessions, complete, signs, doubt } = await work
    return { lines, subSessions: sub_sessions, verdict: complete, signs, doubt }
  } catch (error) {
    return truncationOf(error)
  }
}

type Reading = Outcome & { readonly read: readonly SessionLine[] }

/** The result of reading a record, with the lines that were read. */
export async function readingOf(
  source: AsyncIterable<Uint8Array>,
  options: ReadRecordOptions = {},
): Promise<Reading> {
  return endOf((onEnd) => readRecord(source, { ...options, onEnd }))
}

/** What came of the lines of a record. */
export async function endOf(
  start: (onEnd: (summary: RecordSummary) => void) => AsyncIterable<SessionLine>,
): Promise<Reading> {
  const read: SessionLine[] = []
  let summary: RecordSummary | undefined
  const lines = start((end) => {
    summary = end
  })
  try {
    for await (const line of lines) read.push(line)
  } catch (error) {
    return { ...truncationOf(error), read }
  }
  if (!summary) throw new Error('ended without a summary')
  const { lines: count, sub_sessions, complete, signs, doubt } = summary
  return { lines: count, subSessions: sub_sessions, verdict: complete, signs, doubt, read }
}

/** The same judgement without a file and without waiting. */
export function scanOf(chunks: readonly Buffer[], includeSubagents: boolean): Outcome {
  const scanner = createRecordScanner({
    includesSubagents: includeSubagents,
    maxLineBytes: 1_000_000,
    parse: (text) => JSON.parse(text),
  })
  for (const chunk of chunks) {
    const block = Buffer.from(chunk)
    scanner.push(block)
    // As memory that is used again.
    block.fill('{')
  }
  const { lines, subSessions, verdict } = scanner.finish(false)
  const name = { whole: 'yes', doubtful: 'unknown', truncated: 'truncated' }[verdict.grade]
  return { lines, subSessions, verdict: name, signs: verdict.signs }
}

function truncationOf(error: unknown): Outcome {
  if (!RunbookError.is(error) || error.code !== 'TruncatedExport') throw error
  const { signs, lines } = error.details as JsonObject
  return { lines, subSessions: 0, verdict: 'truncated', signs }
}
