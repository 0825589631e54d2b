import { createEvidenceCollector, type RecordScan } from './collect-evidence.ts'
import { broken, type LineFacts, lineFacts } from './line-facts.ts'
import { createLineSkimmer, endsAsObject } from './skim-line.ts'
import { createLineSplitter, type RawLine } from './split-lines.ts'

/** Looks through the bytes of a record as they pass. */
export interface RecordScanner {
  /** The chunk is not needed any more after the call. */
  push(chunk: Buffer): void
  /** `isCutOff`: the bytes ended in a failure. */
  finish(isCutOff: boolean): RecordScan
}

/** Longer lines are counted, but only their beginning is looked at. */
const maxLineBytes = 16 * 1024 * 1024

/**
 * Parses as little as a judgement needs: the lines that open a session, the last line, and those whose beginning is
 * unusual. Of the others the two ends are looked at; what lies between is not proven to be JSON.
 */
export function createRecordScanner(includesSubagents: boolean): RecordScanner {
  const collector = createEvidenceCollector(includesSubagents)
  const skim = createLineSkimmer()
  let line: Readonly<RawLine> | undefined
  /** The facts of the line at hand, once they have been read. */
  let facts: LineFacts | 'unread' | undefined

  const read = (): LineFacts | undefined => {
    if (facts === 'unread') facts = line?.isWhole ? factsOf(line) : undefined
    return facts
  }
  const atMs = (): number | undefined => {
    const known = read()
    return known?.shape === 'event' ? known.atMs : undefined
  }

  const splitter = createLineSplitter({
    maxLineBytes,
    onLine(next) {
      line = next
      facts = 'unread'
      const { bytes, start, end, number, isWhole } = next
      const mayBeSkimmed = !isWhole || endsAsObject(bytes, start, end)
      const skimmed = mayBeSkimmed ? skim(bytes, start, end) : undefined
      if (skimmed) collector.skimmed(skimmed, number, atMs)
      else collector.read(read(), number)
    },
  })

  return {
    push(chunk) {
      splitter.push(chunk)
      // This may turn out to be the last line when its bytes are gone.
      if (facts === 'unread' && line) line = keptLine(line)
    },
    finish(isCutOff) {
      const endsWithNewline = !splitter.end()
      return collector.finish(read(), { isCutOff, endsWithNewline })
    },
  }
}

/** Lines that are kept already are not copied again. */
function keptLine(line: Readonly<RawLine>): Readonly<RawLine> {
  const { bytes, start, end } = line
  if (!line.isWhole || (start === 0 && end === bytes.length)) return line
  return { ...line, bytes: Buffer.from(bytes.subarray(start, end)), start: 0, end: end - start }
}

function factsOf({ bytes, start, end }: Readonly<RawLine>): LineFacts {
  try {
    return lineFacts(JSON.parse(bytes.toString('utf8', start, end)))
  } catch {
    return broken
  }
}
