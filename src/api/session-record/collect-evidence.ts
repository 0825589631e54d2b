import { judgeRecord, type RecordEvidence, type RecordVerdict, reportsFailure } from './judge-record.ts'
import type { LineFacts } from './line-facts.ts'
import { createSessionStack, type PlacedEvent, type TimeOfEvent } from './session-stack.ts'

/** Collects what is seen of a record, line by line. */
export interface EvidenceCollector {
  /** An event of which only the beginning was read; `atMs` reads the rest if it must. */
  skimmed(event: PlacedEvent, number: number, atMs: TimeOfEvent): void
  /** Without facts the line is too long to be read. */
  read(facts: LineFacts | undefined, number: number): void
  /** `last`: the facts of the last line, which must have been read. */
  finish(last: LineFacts | undefined, end: RecordEnd): RecordScan
}

/** How the bytes of a record ended. */
export type RecordEnd = Pick<RecordEvidence, 'endsWithNewline' | 'isCutOff'>

/** What a record holds and whether it is whole. */
export interface RecordScan {
  readonly lines: number
  readonly subSessions: number
  readonly verdict: RecordVerdict
}

/** The first line of each kind of fault. */
type Faults = {
  -readonly [K in 'brokenLine' | 'longLine' | 'failureLine' | 'emptyDispatchLine' | 'gap']: RecordEvidence[K]
}

/** `includesSubagents`: the service was asked for the sub-sessions, so each dispatch is followed by one. */
export function createEvidenceCollector(includesSubagents: boolean): EvidenceCollector {
  const stack = createSessionStack()
  const faults: Faults = {
    brokenLine: undefined,
    longLine: undefined,
    failureLine: undefined,
    emptyDispatchLine: undefined,
    gap: undefined,
  }
  let first: LineFacts | undefined
  let lines = 0
  let sessions = 0
  let lastLineNumber = 0
  let isNumbered = false
  let dispatchLine: number | undefined

  const begin = (number: number, shape: LineFacts['shape'] | undefined): void => {
    lines++
    lastLineNumber = number
    if (shape !== 'meta') faults.emptyDispatchLine ??= dispatchLine
    dispatchLine = undefined
  }

  const place = (event: PlacedEvent, number: number, atMs: TimeOfEvent): void => {
    isNumbered = true
    if (includesSubagents && event.kind === 'subagent_dispatch') dispatchLine = number
    const gap = stack.place(event, atMs)
    if (gap && !faults.gap) faults.gap = { ...gap, line: number }
  }

  return {
    skimmed(event, number, atMs) {
      begin(number, 'event')
      place(event, number, atMs)
    },
    read(facts, number) {
      begin(number, facts?.shape)
      if (lines === 1) first = facts
      if (!facts) faults.longLine ??= number
      else if (facts.shape === 'event') place(facts, number, () => facts.atMs)
      else if (facts.shape === 'broken') faults.brokenLine ??= number
      else if (facts.shape === 'meta') {
        sessions++
        stack.open(facts)
      } else if (reportsFailure(facts)) faults.failureLine ??= number
    },
    finish(last, end) {
      const verdict = judgeRecord({
        ...faults,
        ...end,
        lines,
        first,
        last,
        lastLineNumber,
        isNumbered,
        emptyDispatchLine: faults.emptyDispatchLine ?? dispatchLine,
        openSessions: stack.sessions,
      })
      return { lines, subSessions: Math.max(sessions - 1, 0), verdict }
    },
  }
}
